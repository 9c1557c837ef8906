package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.TensorSelection;
import dev.varve.platform.content.FileStates;
import dev.varve.platform.content.TensorDigests;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Compares the tensors that a shard process loaded with those of this process's files, byte by byte
 * through their digests: two differently trained models may have the same header.
 *
 * <p>A dedicated thread computes the digests once, and only if the process sees other files than
 * this one. They describe the files as they were when this object was created: tensors that a
 * process loads later must match those that this process had loaded then. Thread-safe.
 */
public final class TensorCheck {
    private static final int SHOWN = 16;

    private final TensorDigests digests;
    private final Map<String, GgufTensor> tensors = new LinkedHashMap<>();
    private final FileStates files;
    private Optional<CompletableFuture<Map<String, String>>> expected = Optional.empty();

    /**
     * @param digests computes and stores them
     * @param selection tensors that the process loads, as this process sees them
     * @throws VarveException of kind UNREADABLE_FILE if a file is missing
     */
    public TensorCheck(TensorDigests digests, TensorSelection selection) {
        this.digests = digests;
        tensors(selection).forEach(tensor -> tensors.put(tensor.name(), tensor));
        files = FileStates.of(tensors.values().stream().map(GgufTensor::file).toList());
    }

    /** Returns the tensors of a selection, each once. */
    static Collection<GgufTensor> tensors(TensorSelection selection) {
        Map<String, GgufTensor> tensors = new LinkedHashMap<>();
        selection.entries().forEach(each -> tensors.put(each.tensor().name(), each.tensor()));
        return tensors.values();
    }

    /** Starts the computation if it has not started or has failed; does not wait for it. */
    synchronized CompletableFuture<Map<String, String>> begin() {
        CompletableFuture<Map<String, String>> known =
                expected.filter(before -> !before.isCompletedExceptionally())
                        .orElseGet(CompletableFuture::new);
        if (expected.isEmpty() || expected.get() != known) {
            expected = Optional.of(known);
            Thread.ofPlatform().name("varve-digests").daemon(true).start(() -> compute(known));
        }
        return known;
    }

    private void compute(CompletableFuture<Map<String, String>> found) {
        try {
            files.requireUnchanged();
            Map<String, String> computed = digests.of(tensors.values(), bytes -> {});
            files.requireUnchanged();
            found.complete(computed);
        } catch (RuntimeException | Error e) {
            found.completeExceptionally(e);
        }
    }

    /**
     * Checks the tensors that a process loaded; waits for the digests.
     *
     * @param shard the process, for messages
     * @param found its digests by the tensors' names; empty if it sees the same files
     * @throws VarveException of kind INVALID_REQUEST that names file, tensor and both digests if
     *     one differs; UNREADABLE_FILE if a file of this process cannot be read or has changed
     */
    void verify(String shard, Optional<Map<String, String>> found) {
        if (found.isEmpty()) {
            return;
        }
        List<String> differences = new ArrayList<>();
        join(begin())
                .forEach(
                        (name, digest) -> {
                            String other = found.get().get(name);
                            if (!digest.equals(other)) {
                                differences.add(difference(name, digest, other));
                            }
                        });
        if (!differences.isEmpty()) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    shard
                            + ": "
                            + differences.getFirst()
                            + "; "
                            + differences.size()
                            + " of "
                            + tensors.size()
                            + " tensors differ: both sides need the same file");
        }
    }

    private String difference(String name, String digest, String other) {
        return tensors.get(name).file()
                + ": tensor "
                + name
                + ": expected SHA-256 "
                + shown(digest)
                + " as on the server, found "
                + (other == null ? "no such tensor" : shown(other));
    }

    private static String shown(String digest) {
        return digest.length() <= SHOWN ? digest : digest.substring(0, SHOWN) + "...";
    }

    private static Map<String, String> join(CompletableFuture<Map<String, String>> work) {
        try {
            return work.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }
}
