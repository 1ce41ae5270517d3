"""What is kept of generated code between processes: keys, files, records, modules that come with packages."""
