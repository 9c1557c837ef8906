package dev.varve.platform.http.fetch;

import dev.varve.platform.vision.InvalidImageException;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

import javax.net.ssl.SSLSocketFactory;

/** Fetches images from allowed hosts, without credentials, cookies and proxies. Thread-safe. */
public final class ImageFetcher {
    private static final long POLL_MILLIS = 50;

    private final AllowedHosts hosts;
    private final FetchLimits limits;
    private final ImageDownload.Network network;
    private final Semaphore downloads;

    /** Creates a fetcher with the default limits. */
    public ImageFetcher(AllowedHosts hosts) {
        this(
                hosts,
                FetchLimits.defaults(),
                new ImageDownload.Network(
                        host -> List.of(InetAddress.getAllByName(host)),
                        (SSLSocketFactory) SSLSocketFactory.getDefault()));
    }

    ImageFetcher(AllowedHosts hosts, FetchLimits limits, ImageDownload.Network network) {
        this.hosts = hosts;
        this.limits = limits;
        this.network = network;
        downloads = new Semaphore(limits.concurrent(), true);
    }

    /**
     * Checks a URL without connecting.
     *
     * @throws InvalidImageException if the server may not fetch it
     */
    public void check(String url) {
        hosts.requireAllowed(ImageUrl.parse(url));
    }

    /** Starts the time that the images of a request have together. */
    public FetchDeadline beginRequest() {
        return FetchDeadline.after(limits.requestTime(), "the images of the request");
    }

    /**
     * Fetches a file.
     *
     * @param url {@code http} or {@code https}
     * @param request the time that the image shares with the others of its request
     * @param cancelled whether the file is no longer needed, asked from time to time
     * @throws InvalidImageException if it is not allowed, cannot be had, or exceeds a limit
     * @throws CancellationException if it was cancelled
     */
    public byte[] fetch(String url, FetchDeadline request, BooleanSupplier cancelled) {
        ImageUrl parsed = ImageUrl.parse(url);
        List<FetchDeadline> deadlines =
                List.of(FetchDeadline.after(limits.time(), "the image"), request);
        try {
            requireTime(deadlines, cancelled);
            while (!downloads.tryAcquire(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                requireTime(deadlines, cancelled);
            }
            try (ImageDownload download = new ImageDownload(hosts, limits, network)) {
                return await(start(download, parsed), deadlines, cancelled);
            } finally {
                downloads.release();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted");
        }
    }

    /** A thread of its own, since nothing else ends the look-up of a name. */
    private static CompletableFuture<byte[]> start(ImageDownload download, ImageUrl url) {
        CompletableFuture<byte[]> file = new CompletableFuture<>();
        Thread.ofVirtual()
                .name("image-download")
                .start(
                        () -> {
                            try {
                                file.complete(download.file(url));
                            } catch (IOException | RuntimeException e) {
                                file.completeExceptionally(e);
                            }
                        });
        return file;
    }

    private byte[] await(
            CompletableFuture<byte[]> file,
            List<FetchDeadline> deadlines,
            BooleanSupplier cancelled)
            throws InterruptedException {
        while (true) {
            try {
                return file.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                requireTime(deadlines, cancelled);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof InvalidImageException invalid) {
                    throw invalid;
                }
                // The cause may tell about hosts that only the server reaches.
                throw new InvalidImageException("the image's host cannot be reached", e);
            }
        }
    }

    private static void requireTime(List<FetchDeadline> deadlines, BooleanSupplier cancelled) {
        if (cancelled.getAsBoolean()) {
            throw new CancellationException("the image is no longer needed");
        }
        deadlines.forEach(FetchDeadline::requireTime);
    }
}
