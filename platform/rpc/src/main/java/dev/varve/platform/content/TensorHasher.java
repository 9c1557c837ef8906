package dev.varve.platform.content;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.platform.digest.Sha256;
import dev.varve.platform.setting.ByteCount;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;

/** Reads tensors, computes their digests on several threads, and reports progress. */
final class TensorHasher {
    private static final Logger LOG = System.getLogger("dev.varve.content");
    private static final int BLOCK = 1 << 20;

    /** A core computes about 1 GB/s; with more threads the disk is the limit. */
    private static final int MOST_THREADS = 4;

    private static final long REPORT_NANOS = Duration.ofSeconds(10).toNanos();

    /** Counts the bytes of one file and logs at intervals, to explain a long start. */
    private static final class Progress {
        private final Path file;
        private final long total;
        private final LongConsumer target;
        private final long begin = System.nanoTime();
        private long next = begin + REPORT_NANOS;
        private long done;

        Progress(Path file, long total, LongConsumer target) {
            this.file = file;
            this.total = total;
            this.target = target;
        }

        synchronized void read(int bytes) {
            done += bytes;
            target.accept(bytes);
            if (System.nanoTime() - next >= 0) {
                next += REPORT_NANOS;
                LOG.log(
                        Level.INFO,
                        String.format(
                                Locale.ROOT,
                                "%s: computing tensor digests: %s of %s",
                                file,
                                ByteCount.format(done),
                                ByteCount.format(total)));
            }
        }

        void end(int tensors) {
            LOG.log(
                    Level.INFO,
                    String.format(
                            Locale.ROOT,
                            "%s: computed the digests of %d tensors (%s) in %d ms",
                            file,
                            tensors,
                            ByteCount.format(total),
                            (System.nanoTime() - begin) / 1_000_000));
        }
    }

    /**
     * Returns the digests.
     *
     * @param places of one file
     * @throws VarveException of kind UNREADABLE_FILE if the file cannot be read
     */
    Map<GgufTensor.Place, String> hash(
            Path file, List<GgufTensor.Place> places, LongConsumer read) {
        long total = places.stream().mapToLong(GgufTensor.Place::bytes).sum();
        Progress progress = new Progress(file, total, read);
        Map<GgufTensor.Place, String> digests = new LinkedHashMap<>();
        try (FileChannel channel = FileChannel.open(file);
                ExecutorService threads = threads()) {
            try {
                hash(channel, places, progress, threads)
                        .forEach((place, digest) -> digests.put(place, join(digest)));
            } catch (RuntimeException | Error e) {
                threads.shutdownNow();
                throw e;
            }
        } catch (IOException e) {
            throw unreadable(file, e);
        }
        progress.end(places.size());
        return digests;
    }

    private static Map<GgufTensor.Place, Future<String>> hash(
            FileChannel channel,
            List<GgufTensor.Place> places,
            Progress progress,
            ExecutorService threads) {
        Map<GgufTensor.Place, Future<String>> digests = new LinkedHashMap<>();
        places.stream()
                .sorted(Comparator.comparingLong(GgufTensor.Place::offset))
                .forEach(
                        place ->
                                digests.put(
                                        place,
                                        threads.submit(() -> hash(channel, place, progress))));
        return digests;
    }

    private static String hash(FileChannel channel, GgufTensor.Place place, Progress progress) {
        MessageDigest digest = Sha256.begin();
        ByteBuffer block = ByteBuffer.allocate((int) Math.min(BLOCK, place.bytes()));
        try {
            for (long at = 0; at < place.bytes(); ) {
                block.clear().limit((int) Math.min(block.capacity(), place.bytes() - at));
                int count = channel.read(block, place.offset() + at);
                if (count < 0) {
                    throw new IOException("the file became shorter");
                }
                digest.update(block.flip());
                progress.read(count);
                at += count;
            }
        } catch (IOException e) {
            throw unreadable(place.file(), e);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static ExecutorService threads() {
        int cores = Runtime.getRuntime().availableProcessors();
        return Executors.newFixedThreadPool(
                Math.clamp(cores / 2, 1, MOST_THREADS),
                Thread.ofPlatform().name("varve-digest-", 0).daemon(true).factory());
    }

    private static String join(Future<String> digest) {
        try {
            return digest.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VarveException(VarveException.Kind.CANCELLED, "interrupted", e);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                default -> throw new IllegalStateException(e);
            }
        }
    }

    private static VarveException unreadable(Path file, IOException e) {
        return new VarveException(
                VarveException.Kind.UNREADABLE_FILE,
                file + ": cannot be read: " + FileErrors.reason(e),
                e);
    }
}
