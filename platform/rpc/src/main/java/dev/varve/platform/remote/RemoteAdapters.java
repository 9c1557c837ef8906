package dev.varve.platform.remote;

import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.lora.AdaptedModel;
import dev.varve.platform.shard.lora.AdapterChange;
import dev.varve.platform.shard.lora.LoraAdapter;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Holds the adapters that a shard in another process loads, also after a restart, and the checks of
 * their bytes. Thread-safe.
 */
final class RemoteAdapters {
    private final LayerSplitAdapter model;
    private final TensorDigests digests;
    private final TensorCheck plain;

    /** Guarded by this, like the fields below. */
    private final SortedMap<Integer, TensorCheck> checks = new TreeMap<>();

    private ShardLoadRequest request;

    /**
     * An adapter that the process is asked to load.
     *
     * @param reference the adapter as both sides must see it
     * @param check of its matrices in the layers of the shard
     */
    record Addition(LoraReference reference, TensorCheck check) {
        Message request() {
            return reference.encodeAdd();
        }

        /**
         * Reads the response, and compares the bytes that the process loaded.
         *
         * @param shard name for messages
         * @return the memory of the shard
         * @throws dev.varve.api.VarveException as {@link TensorCheck#verify}
         */
        ShardMemory verify(String shard, Message reply) {
            FieldReader fields = new FieldReader(reply.meta());
            try {
                ShardMemory memory = ResultCodec.memory(fields);
                Optional<Map<String, String>> found = DigestCodec.get(fields, reply.payload());
                fields.end();
                check.verify(shard, found);
                return memory;
            } catch (WireException e) {
                throw new MalformedMessageException(e);
            }
        }
    }

    private RemoteAdapters(
            LayerSplitAdapter model, ShardLoadRequest request, TensorDigests digests) {
        this.model = model;
        this.digests = digests;
        this.request = request;
        plain = new TensorCheck(digests, AdaptedModel.base(model).tensors(request.range()));
        AdaptedModel.numbered(model)
                .forEach((number, adapter) -> checks.put(number, check(number, adapter)));
    }

    /**
     * Returns the adapters of a shard that is not loaded yet.
     *
     * @param model the model with its first adapters, which the request names
     */
    static RemoteAdapters of(
            LayerSplitAdapter model, ShardLoadRequest request, TensorDigests digests) {
        return new RemoteAdapters(model, request, digests);
    }

    private TensorCheck check(int number, LoraAdapter adapter) {
        return new TensorCheck(
                digests, AdaptedModel.matrices(model, request.range(), number, adapter));
    }

    /** Returns the weights that a process loads: those of the model and of all adapters. */
    synchronized ShardSupervisor.Load load() {
        List<TensorCheck> all = new ArrayList<>(List.of(plain));
        all.addAll(checks.values());
        return new ShardSupervisor.Load(request.encode(), all);
    }

    /**
     * Prepares an adapter that the process shall load.
     *
     * @param sameFiles whether the process probably sees the same file, so that no digests are
     *     needed
     */
    synchronized Addition begin(AdapterChange.Add add, boolean sameFiles) {
        TensorCheck check = check(add.number(), add.adapter());
        if (!sameFiles) {
            check.begin();
        }
        return new Addition(LoraReference.of(add.number(), add.adapter()), check);
    }

    /** Registers an adapter that the process has loaded; returns the weights of later processes. */
    synchronized ShardSupervisor.Load end(Addition addition) {
        request = request.with(addition.reference());
        checks.put(addition.reference().number(), addition.check());
        return load();
    }

    /** Removes an adapter; returns the weights that later processes load. */
    synchronized ShardSupervisor.Load remove(int number) {
        request = request.without(number);
        checks.remove(number);
        return load();
    }
}
