"""What people look at: contact sheets, a house to walk through, previews of logs. Only the command line imports it."""
