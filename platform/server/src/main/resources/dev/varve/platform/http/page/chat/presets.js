// Settings that this browser keeps: those of new chats, and presets with names.

import {DEFAULTS} from './conversation.js';

const NEW = 'varve.settings';
const PRESETS = 'varve.presets';

/** Settings of new chats. */
export function newChatSettings() {
    return known(read(NEW));
}

/** Sets settings of new chats; returns whether the browser kept them. */
export function keepForNewChats(settings) {
    return write(NEW, {...newChatSettings(), ...settings});
}

/** Presets: {name, settings}, by their names. */
export function presets() {
    const list = read(PRESETS);
    return (Array.isArray(list) ? list : [])
        .filter(each => typeof each?.name === 'string' && each.name !== '')
        .map(({name, settings}) => ({name, settings: known(settings)}))
        .sort((one, other) => one.name.localeCompare(other.name));
}

/** Stores a preset, or replaces the one of that name; returns whether the browser kept it. */
export function keepPreset(name, settings) {
    return write(PRESETS, [...presets().filter(each => each.name !== name), {name, settings: known(settings)}]);
}

export function removePreset(name) {
    return write(PRESETS, presets().filter(each => each.name !== name));
}

/** Known settings only, as strings: another version may have stored others. */
export function known(value) {
    return Object.fromEntries(Object.entries(DEFAULTS).map(([name, standard]) => [name,
        ['string', 'number'].includes(typeof value?.[name]) ? String(value[name]) : standard]));
}

function read(key) {
    try {
        return JSON.parse(localStorage.getItem(key));
    } catch {
        return null;
    }
}

function write(key, value) {
    try {
        localStorage.setItem(key, JSON.stringify(value));
        return true;
    } catch {
        return false;
    }
}
