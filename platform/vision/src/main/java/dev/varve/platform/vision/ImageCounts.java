package dev.varve.platform.vision;

/**
 * Images of a model since it was loaded.
 *
 * @param encoded images that the encoder computed
 * @param tokens tokens of these
 * @param encodeNanos time of the encoder, in nanoseconds, with the turns that it waited for
 * @param cacheHits images that were encoded before
 * @param cachedBytes bytes of encoded images in host memory
 */
public record ImageCounts(
        long encoded, long tokens, long encodeNanos, long cacheHits, long cachedBytes) {
    /** No images. */
    public static final ImageCounts NONE = new ImageCounts(0, 0, 0, 0, 0);
}
