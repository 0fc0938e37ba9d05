"""What each flag of the JVM profiles is worth: what is measured, how, and the page that shows it."""
