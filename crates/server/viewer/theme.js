// Puts the chosen theme on the page before it is drawn. A classic script in the head, so that nothing flashes.
try {
  const chosen = JSON.parse(localStorage.getItem("backstory.theme"));
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // No storage, or something else's: the system's preference rules.
}
