"""The table in the browser: `kibitz table`."""
