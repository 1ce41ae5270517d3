"""Messages to the user: what they hold (`model`), how they look (`render`), what their codes mean (`registry`)."""
