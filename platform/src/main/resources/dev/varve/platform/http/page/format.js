// Numbers and times as people read them.

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
    while (value >= 1024 && unit < units.length - 1) {
        value /= 1024;
        unit++;
    }
    return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** Milliseconds, such as 35 ms, 1.2 s or 3 min 20 s. */
export function duration(millis) {
    if (millis < 1000) {
        return `${millis < 10 ? millis.toFixed(1) : Math.round(millis)} ms`;
    }
    const seconds = millis / 1000;
    if (seconds < 60) {
        return `${seconds.toFixed(1)} s`;
    }
    return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** A share of 1, such as 73 %. */
export function percent(share) {
    return `${Math.round(share * 100)} %`;
}
