// Runs before anything is shown, so that the page does not flash in the other colours.
(() => {
    try {
        const chosen = localStorage.getItem('varve.theme');
        if (chosen === 'light' || chosen === 'dark') {
            document.documentElement.dataset.theme = chosen;
        }
    } catch {
        // A browser that keeps nothing shows the colours of its system.
    }
})();
