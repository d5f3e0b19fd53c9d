// Sets the theme that was chosen before anything is painted. Without a choice the system's counts.
try {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch { /* storage is blocked: the system's theme counts */ }
