"""Array statements as loops: each becomes a nest over its broadcast shape, before anything is planned."""
