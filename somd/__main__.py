"""`python -m somd` is `somdc`."""

from somd.cli import main

main()
