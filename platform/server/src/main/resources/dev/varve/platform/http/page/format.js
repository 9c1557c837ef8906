// Formats numbers and times.

const whole = new Intl.NumberFormat('en');

/** 12345 as 12,345. */
export function count(number) {
    return whole.format(number);
}

/** Bytes in binary units, such as 1.5 GiB. */
export function bytes(number) {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let value = number;
    let unit = 0;
    // Rounded first, so never 1024 KiB.
    while (Math.round(value) >= 1024 && unit < units.length - 1) {
        value /= 1024;
        unit++;
    }
    return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** Milliseconds, such as 35 ms, 1.2 s, 3 min 20 s or 2 h 5 min; rounded first, so never 60 s. */
export function duration(millis) {
    if (Math.round(millis) < 1000) {
        return `${millis < 9.95 ? millis.toFixed(1) : Math.round(millis)} ms`;
    }
    const tenths = Math.round(millis / 100);
    if (tenths < 600) {
        return `${(tenths / 10).toFixed(1)} s`;
    }
    const seconds = Math.round(millis / 1000);
    if (seconds < 3600) {
        return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
    }
    const minutes = Math.round(seconds / 60);
    return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A share of 1, such as 73 %; a small one is not called 0 %. */
export function percent(share) {
    return share > 0 && share < 0.005 ? '< 1 %' : `${Math.round(share * 100)} %`;
}
