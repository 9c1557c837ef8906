package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.TensorSelection;
import dev.varve.platform.content.FileStates;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.shard.LoadProgressListener;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Computes digests of the tensors that a session loads; the server compares them with its own. A
 * dedicated thread computes them while the weights are loaded, unless the server sees the same
 * files. If the load fails, the computation continues, and the next load uses the stored digests.
 */
final class LoadedTensorDigests {
    private static final long SIGN_MILLIS = 1000;

    private final FileStates files;
    private final LoadProgressListener target;
    private final AtomicLong bytesRead = new AtomicLong();
    private final Optional<CompletableFuture<Map<String, String>>> digests;

    /** The latest report. */
    private volatile long done;

    private volatile long total;

    private LoadedTensorDigests(
            Collection<GgufTensor> tensors,
            Optional<TensorDigests> compared,
            LoadProgressListener target) {
        this.target = target;
        files = FileStates.of(tensors.stream().map(GgufTensor::file).toList());
        digests = compared.map(known -> begin(known, tensors));
    }

    /**
     * Starts the computation.
     *
     * @param known whether the server sees the same files, so that no digests are computed
     * @param host computes the digests
     * @param progress accepts a repeated report while digests are computed, and the reports of
     *     {@link #progress}
     */
    static LoadedTensorDigests of(
            TensorSelection selection,
            boolean known,
            ShardResources host,
            LoadProgressListener progress) {
        return new LoadedTensorDigests(
                TensorCheck.tensors(selection),
                known ? Optional.empty() : Optional.of(host.digests()),
                new ThrottledProgress(progress));
    }

    private CompletableFuture<Map<String, String>> begin(
            TensorDigests known, Collection<GgufTensor> tensors) {
        CompletableFuture<Map<String, String>> found = new CompletableFuture<>();
        Thread.ofPlatform()
                .name("varve-digests")
                .daemon(true)
                .start(
                        () -> {
                            try {
                                found.complete(known.of(tensors, bytesRead::addAndGet));
                            } catch (RuntimeException | Error e) {
                                found.completeExceptionally(e);
                            }
                        });
        return found;
    }

    /** Returns the listener for the progress of the weights. */
    LoadProgressListener progress() {
        return (bytes, all) -> {
            done = bytes;
            total = all;
            target.loaded(bytes, all);
        };
    }

    /**
     * Waits for the digests. Call it after the weights are loaded.
     *
     * @return by the tensors' names; empty if the server sees the same files
     * @throws VarveException of kind UNREADABLE_FILE if a file cannot be read or has changed
     */
    Optional<Map<String, String>> await() {
        Optional<Map<String, String>> found = digests.map(this::await);
        files.requireUnchanged();
        return found;
    }

    private Map<String, String> await(CompletableFuture<Map<String, String>> work) {
        long before = -1;
        while (true) {
            try {
                return work.get(SIGN_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                long now = bytesRead.get();
                if (now != before) {
                    // Without this report the server would treat the process as stuck.
                    target.loaded(done, total);
                }
                before = now;
            } catch (ExecutionException e) {
                switch (e.getCause()) {
                    case RuntimeException failure -> throw failure;
                    case Error failure -> throw failure;
                    default -> throw new CompletionException(e.getCause());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new VarveException(VarveException.Kind.CANCELLED, "interrupted", e);
            }
        }
    }
}
