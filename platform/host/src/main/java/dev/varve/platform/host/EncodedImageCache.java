package dev.varve.platform.host;

import dev.varve.platform.vision.EncodedImage;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Encoded images by the digest of their files, as a conversation sends its images again with each
 * request. The least recently used one is evicted first. Thread-safe.
 */
final class EncodedImageCache {
    private final long capacity;
    private final Map<String, EncodedImage> images = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    /**
     * @param capacity bytes of rows
     */
    EncodedImageCache(long capacity) {
        this.capacity = capacity;
    }

    synchronized Optional<EncodedImage> find(String digest) {
        return Optional.ofNullable(images.get(digest));
    }

    synchronized void add(String digest, EncodedImage image) {
        EncodedImage before = images.put(digest, image);
        bytes += image.bytes() - (before == null ? 0 : before.bytes());
        while (bytes > capacity) {
            String oldest = images.keySet().iterator().next();
            bytes -= images.remove(oldest).bytes();
        }
    }
}
