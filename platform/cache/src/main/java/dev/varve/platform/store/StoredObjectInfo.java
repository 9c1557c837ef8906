package dev.varve.platform.store;

/**
 * Description of an object, known without reading it.
 *
 * @param bytes of its header and its payload
 * @param uses number of uses
 * @param lastUse time of its last use or write, in milliseconds since 1970
 */
public record StoredObjectInfo(ObjectDescriptor name, long bytes, int uses, long lastUse) {}
