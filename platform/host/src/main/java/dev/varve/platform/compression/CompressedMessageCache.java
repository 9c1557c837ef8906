package dev.varve.platform.compression;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Cache of compressed messages, so that a message is compressed the same way in every turn. Evicts
 * the least recently used entries when the memory is full. Thread-safe.
 */
public final class CompressedMessageCache {
    /** Approximate bytes of an entry beside its text. */
    static final int OVERHEAD_BYTES = 256;

    private final long mostBytes;
    private final Map<MessageKey, String> texts = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    /**
     * Creates an empty cache.
     *
     * @param mostBytes of all texts together; 0 disables the cache
     */
    public CompressedMessageCache(long mostBytes) {
        if (mostBytes < 0) {
            throw new IllegalArgumentException("expected 0 or more bytes, found " + mostBytes);
        }
        this.mostBytes = mostBytes;
    }

    /** Returns the compressed text of a message, if it is cached, and marks it as used. */
    public synchronized Optional<String> find(MessageKey key) {
        return Optional.ofNullable(texts.get(key));
    }

    /**
     * Stores a text, unless it alone exceeds the limit. If two texts are stored for one message,
     * the first one stays: a prompt may already contain it.
     *
     * @return the text that is used from now on
     */
    public synchronized String put(MessageKey key, String text) {
        String known = texts.get(key);
        if (known != null) {
            return known;
        }
        if (size(text) <= mostBytes) {
            texts.put(key, text);
            bytes += size(text);
            evict();
        }
        return text;
    }

    private void evict() {
        Iterator<String> oldest = texts.values().iterator();
        while (bytes > mostBytes) {
            bytes -= size(oldest.next());
            oldest.remove();
        }
    }

    /** Returns the number of texts. */
    public synchronized int count() {
        return texts.size();
    }

    /** Returns their approximate size in bytes. */
    public synchronized long bytes() {
        return bytes;
    }

    /** Removes all entries. */
    public synchronized void clear() {
        texts.clear();
        bytes = 0;
    }

    private static long size(String text) {
        return OVERHEAD_BYTES + (long) Character.BYTES * text.length();
    }
}
