package dev.varve.platform.store;

/**
 * What is known of an object without reading it.
 *
 * @param bytes of its header and its payload
 * @param uses how often it was of use
 * @param lastUse when it was last used or written, in milliseconds since 1970
 */
public record StoredObject(ObjectDescriptor name, long bytes, int uses, long lastUse) {}
