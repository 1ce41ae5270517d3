"""The targets for which code is generated, each with its answers to what the rest of the package asks (`Target`)."""
