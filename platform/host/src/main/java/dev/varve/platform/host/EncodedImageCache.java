package dev.varve.platform.host;

import dev.varve.platform.vision.EncodedImage;
import dev.varve.platform.vision.ImageKey;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Encoded images, as a conversation sends its images again with each request: by their keys, and by
 * the digests of their files and limits, of which several may give the same image. The least
 * recently used one is evicted first. Thread-safe.
 */
final class EncodedImageCache {
    /** Digests of an image that are remembered, so that they stay small beside its rows. */
    private static final int FILES = 16;

    private final long capacity;
    private final Map<ImageKey, Entry> images = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, ImageKey> files = new HashMap<>();
    private long bytes;

    /** An image, and the digests of its files, the oldest first. */
    private record Entry(EncodedImage image, Map<String, Boolean> digests) {}

    /**
     * @param capacity bytes of rows
     */
    EncodedImageCache(long capacity) {
        this.capacity = capacity;
    }

    /** Returns the image of a file with this digest. */
    synchronized Optional<EncodedImage> find(String digest) {
        return Optional.ofNullable(files.get(digest)).flatMap(this::find);
    }

    /** Returns the image with this key. */
    synchronized Optional<EncodedImage> find(ImageKey key) {
        return Optional.ofNullable(images.get(key)).map(Entry::image);
    }

    /** Adds an image, or another file of it; larger ones than the whole cache are not kept. */
    synchronized void add(String digest, EncodedImage image) {
        if (image.bytes() > capacity) {
            return;
        }
        Entry entry = images.get(image.key());
        if (entry == null) {
            entry = new Entry(image, new LinkedHashMap<>());
            images.put(image.key(), entry);
            bytes += image.bytes();
        }
        entry.digests().put(digest, true);
        files.put(digest, image.key());
        if (entry.digests().size() > FILES) {
            String oldest = entry.digests().keySet().iterator().next();
            entry.digests().remove(oldest);
            files.remove(oldest);
        }
        while (bytes > capacity) {
            evict(images.keySet().iterator().next());
        }
    }

    private void evict(ImageKey key) {
        Entry oldest = images.remove(key);
        bytes -= oldest.image().bytes();
        oldest.digests().keySet().forEach(files::remove);
    }

    /** Bytes of rows. */
    synchronized long bytes() {
        return bytes;
    }
}
