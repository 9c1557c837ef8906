package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.content.FileStates;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.digest.Sha256;
import dev.varve.platform.engine.AdapterLeases;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.remote.ModelDigest;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.lora.AdaptedModel;
import dev.varve.platform.shard.lora.AdapterChange;
import dev.varve.platform.shard.lora.LoraAdapter;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Adds LoRA adapters to a model that runs, and removes them. Requests that run keep their adapters:
 * one that is removed is freed when the last request that uses it has ended. Thread-safe.
 */
@SuppressWarnings("exports") // see package-info
public final class HostedAdapters {
    private static final System.Logger LOG = System.getLogger(HostedAdapters.class.getName());

    private final OpenedModel model;
    private final AdapterFolders folders;
    private final TensorDigests digests;
    private final AdapterLeases leases;
    private final AdapterClaims claims;
    private final Supplier<Engine> engine;

    /**
     * An adapter that was added.
     *
     * @param number its place in {@link dev.varve.platform.shard.lora.LoraScales}
     * @param file its file
     * @param content digest of its metadata and matrices
     */
    public record Added(int number, Path file, String content) {}

    /**
     * @param claims claims the memory of added adapters; closed by the owner
     * @param engine computes the model
     */
    HostedAdapters(
            OpenedModel model,
            AdapterFolders folders,
            TensorDigests digests,
            AdapterLeases leases,
            AdapterClaims claims,
            Supplier<Engine> engine) {
        this.model = model;
        this.folders = folders;
        this.digests = digests;
        this.leases = leases;
        this.claims = claims;
        this.engine = engine;
    }

    /** Returns whether there are folders from which adapters may be added. */
    public boolean canAdd() {
        return !folders.folders().isEmpty();
    }

    /**
     * Adds an adapter to all shards; requests use it only if they name a scale for it. Waits until
     * it is loaded.
     *
     * @param path file in one of the folders, absolute or relative to the folder
     * @throws VarveException of kind INVALID_REQUEST if there is no such file, or the model has too
     *     many adapters; UNSUPPORTED_MODEL or CORRUPT_FILE if it does not fit the model;
     *     OUT_OF_MEMORY if it needs memory that models and caches have claimed; as a shard refuses
     *     it, with its name. No shard keeps it then
     */
    public synchronized Added add(String path) {
        requireFolders();
        Path found = folders.find(path);
        GgufFile file = GgufFile.open(found);
        FileStates states = FileStates.of(file.parts());
        LoraAdapter adapter = LoraAdapter.of(file, 0);
        AdaptedModel.requireFits(model.file(), model.adapter(), adapter);
        String content = content(file);
        int number = unusedNumber();
        claims.claim(number, adapter);
        try {
            load(new AdapterChange.Add(number, adapter), states);
        } catch (RuntimeException | Error e) {
            claims.release(number);
            throw e;
        }
        leases.add(number, content);
        LOG.log(System.Logger.Level.INFO, "LoRA adapter {0} is added: {1}", number, found);
        return new Added(number, found, content);
    }

    private void load(AdapterChange.Add change, FileStates states) {
        adapt(change);
        try {
            // Otherwise the shards may have loaded other bytes than those of the digest.
            states.requireUnchanged();
        } catch (VarveException e) {
            adapt(new AdapterChange.Remove(change.number()));
            throw e;
        }
    }

    private void requireFolders() {
        if (!canAdd()) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    "adapters cannot be added: "
                            + Setting.LORA_DIR
                            + " names no folder from which they may be loaded");
        }
    }

    private int unusedNumber() {
        int number = leases.unusedNumber();
        if (number >= AdapterChange.MOST) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    "adapters: expected at most "
                            + AdapterChange.MOST
                            + ", found another; remove one first");
        }
        return number;
    }

    private String content(GgufFile file) {
        Map<String, String> tensors = new TreeMap<>(digests.of(file.tensors(), bytes -> {}));
        return Sha256.hex(ModelDigest.of(file) + tensors);
    }

    private void adapt(AdapterChange change) {
        try {
            engine.get().adapt(change).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof VarveException failure) {
                throw failure;
            }
            throw e;
        }
    }

    /**
     * Removes an adapter: requests that arrive later cannot use it. Does not wait for those that
     * do.
     *
     * @return completes when its memory is freed
     * @throws VarveException of kind INVALID_REQUEST if there is none with this number
     */
    public CompletableFuture<Void> remove(int number) {
        return leases.retire(number)
                // The thread of an engine completes this future, and must not wait for replicas.
                .thenComposeAsync(
                        nothing -> engine.get().adapt(new AdapterChange.Remove(number)),
                        Thread::startVirtualThread)
                .whenComplete((nothing, failure) -> forget(number, failure));
    }

    /** Releases the number of a removed adapter, and its memory if it was freed. */
    private void forget(int number, Throwable failure) {
        if (failure == null) {
            claims.release(number);
        }
        leases.forget(number);
        if (failure == null) {
            LOG.log(System.Logger.Level.INFO, "LoRA adapter {0} is removed", number);
        } else {
            LOG.log(System.Logger.Level.WARNING, "a LoRA adapter could not be freed", failure);
        }
    }
}
