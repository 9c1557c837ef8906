package dev.varve.platform.http.fetch;

import dev.varve.platform.vision.ImageLimits;

import java.time.Duration;

/**
 * Limits of fetched images.
 *
 * @param bytes largest file
 * @param time longest time for one image, from the look-up of its host to the last byte
 * @param requestTime longest time for all images of a request
 * @param redirects most redirects of one image
 * @param concurrent most images that are fetched at the same time; others wait
 */
public record FetchLimits(
        int bytes, Duration time, Duration requestTime, int redirects, int concurrent) {
    /**
     * The largest file of {@link ImageLimits}, 10 s for an image and 30 s for all of a request, 3
     * redirects, 8 at a time.
     */
    public static FetchLimits defaults() {
        return new FetchLimits(
                ImageLimits.defaults().bytes(),
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                3,
                8);
    }
}
