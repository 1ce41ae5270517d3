"""`python -m benchmarks.javagrande`."""

from benchmarks.javagrande.runner import main

raise SystemExit(main())
