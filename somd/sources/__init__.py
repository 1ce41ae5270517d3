"""The user's files, for the tools: which SOMD methods a file holds, how it is loaded, what its check says."""
