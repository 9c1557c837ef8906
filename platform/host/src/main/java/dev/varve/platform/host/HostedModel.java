package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.Pooling;
import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.engine.AdapterLeases;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.LeasingEngine;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.engine.TeacherForcing.LogitsSink;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.replica.EnginePool;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.MemoryPlan;
import dev.varve.platform.runtime.OtherDeviceMemory;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.local.CausalEncoder;
import dev.varve.platform.shard.local.LocalTextEncoder;
import dev.varve.platform.shard.lora.AdaptedModel;
import dev.varve.platform.shard.lora.LoraAdapter;
import dev.varve.platform.tokenizer.Tokenizer;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A loaded model on all its devices. {@link #close} frees weights, caches and devices, and ends the
 * processes that were started for it. Thread-safe.
 */
@SuppressWarnings("exports") // see package-info
public final class HostedModel implements AutoCloseable {
    /** The replicas, which are equal except for their caches. */
    private final List<LoadedModel> replicas;

    private final LoadedModel model;
    private final ReplicaFactory opening;
    private final PlacedShardFactory devices;
    private final Tokenizer tokenizer;
    private final double loadMillis;
    private final Auxiliaries auxiliaries;
    private final AdapterLeases leases;
    private final AdapterClaims adapterClaims;
    private final HostedAdapters adapters;
    private Optional<Engine> engine = Optional.empty();
    private Optional<EnginePool> pool = Optional.empty();

    /** Drafter, owned by the model, and the compressor that uses it. */
    record CompressingDrafter(FilePrefillDrafter drafter, ConversationCompressor compressor) {}

    /**
     * Models beside this one, which it owns.
     *
     * @param drafter the drafter and its compressor
     * @param images the image encoder
     */
    record Auxiliaries(Optional<CompressingDrafter> drafter, Optional<ModelImages> images)
            implements AutoCloseable {
        @Override
        public void close() {
            try {
                drafter.ifPresent(each -> each.drafter().close());
            } finally {
                images.ifPresent(ModelImages::close);
            }
        }
    }

    /**
     * Source of the adapters that are added while the model runs.
     *
     * @param folders folders of their files
     * @param digests computes the digests of their tensors
     */
    record AdapterSource(AdapterFolders folders, TensorDigests digests) {}

    HostedModel(
            List<LoadedModel> replicas,
            ReplicaFactory opening,
            PlacedShardFactory devices,
            Tokenizer tokenizer,
            Auxiliaries auxiliaries,
            AdapterSource adapterSource,
            double loadMillis) {
        this.replicas = List.copyOf(replicas);
        this.opening = opening;
        model = this.replicas.getFirst();
        this.devices = devices;
        this.tokenizer = tokenizer;
        this.auxiliaries = auxiliaries;
        this.loadMillis = loadMillis;
        leases =
                new AdapterLeases(
                        AdaptedModel.adapters(adapter()).stream().map(LoraAdapter::scale).toList());
        adapterClaims = devices.adapterClaims(placement(), replicas.size());
        adapters =
                new HostedAdapters(
                        new OpenedModel(file(), adapter()),
                        adapterSource.folders(),
                        adapterSource.digests(),
                        leases,
                        adapterClaims,
                        this::engine);
    }

    /**
     * Opens and loads a model without a listener.
     *
     * @throws VarveException if the file, its family or a device cannot be used, or it does not fit
     *     the memory
     * @throws IllegalArgumentException if settings contradict each other
     */
    public static HostedModel open(HostSettings settings) {
        return open(settings, ModelLoadListener.silent());
    }

    /**
     * Opens and loads a model.
     *
     * @throws VarveException if the file, its family or a device cannot be used, or it does not fit
     *     the memory
     * @throws IllegalArgumentException if settings contradict each other
     */
    public static HostedModel open(HostSettings settings, ModelLoadListener listener) {
        return PreparedModel.open(settings, listener).load();
    }

    /** Returns the object that adds and removes LoRA adapters while the model runs. */
    public HostedAdapters changingAdapters() {
        return adapters;
    }

    /** Returns the LoRA adapters that were loaded with the model. */
    public List<LoraSettings> adapters() {
        return AdaptedModel.adapters(adapter()).stream()
                .map(adapter -> new LoraSettings(adapter.file().path(), adapter.scale()))
                .toList();
    }

    /** Returns the model file. */
    public GgufFile file() {
        return model.file();
    }

    /** Returns the family's adapter. */
    public LayerSplitAdapter adapter() {
        return model.adapter();
    }

    /** Returns the tokenizer of the file. */
    public Tokenizer tokenizer() {
        return tokenizer;
    }

    /** Returns the compressor for long conversations; empty if compression is off. */
    public Optional<ConversationCompressor> compressor() {
        return auxiliaries.drafter().map(CompressingDrafter::compressor);
    }

    /** Returns the image input; empty if the model was opened without a projector. */
    public Optional<ModelImages> images() {
        return auxiliaries.images();
    }

    /** Returns the engine, which the first call starts; the model owns it. */
    public synchronized Engine engine() {
        Engine running = engine.orElseGet(() -> new LeasingEngine(computing(), leases));
        engine = Optional.of(running);
        return running;
    }

    private Engine computing() {
        if (replicas.size() == 1) {
            return model.engine();
        }
        if (pool.isEmpty()) {
            pool =
                    Optional.of(
                            EnginePool.of(
                                    replicas.stream().map(ReplicaFactory::member).toList(),
                                    opening));
        }
        return pool.get();
    }

    /**
     * Creates an encoder of texts with the weights of this model, which the caller closes earlier.
     *
     * @param turn time after which the device is released for the engine
     * @return empty if no device of this process holds all weights that the encoder reads
     */
    Optional<LocalTextEncoder> textEncoder(CausalEncoder encoder, Pooling pooling, Duration turn) {
        return devices.textEncoder(placement(), encoder, pooling, turn);
    }

    /** Returns the number of engines that share the requests. */
    public int replicaCount() {
        return replicas.size();
    }

    /** Returns which device computes which layers. */
    public Placement placement() {
        return new Placement(
                model.splitPlan().parts().stream().map(SplitMemoryPlan.Part::where).toList());
    }

    /** Returns the chosen sizes of one replica. */
    public MemoryPlan plan() {
        return model.plan();
    }

    /** Returns the shards with their memory, health and times. */
    public List<ShardStatus> shards() {
        return replicas.size() == 1 ? model.shards() : engine().status().shards();
    }

    /** Returns the planned memory of each shard, in layer order. */
    public List<ShardMemoryPlan> plannedShards() {
        return model.splitPlan().parts().stream().map(this::planned).toList();
    }

    private ShardMemoryPlan planned(SplitMemoryPlan.Part part) {
        DeviceInfo info = devices.info(part.where().device());
        return new ShardMemoryPlan(
                part.where(),
                part.memory().need(),
                SplitMemoryPlan.memoryOf(part.where().device(), info),
                info.memoryFreeBytes(),
                info.memoryTotalBytes(),
                part.others().stream().map(this::planned).toList());
    }

    private ShardMemoryPlan.Other planned(OtherDeviceMemory other) {
        DeviceInfo info = devices.info(other.device());
        return new ShardMemoryPlan.Other(other, info.memoryFreeBytes(), info.memoryTotalBytes());
    }

    /**
     * Returns the most decode threads of a device of this process; empty if no device has a thread
     * setting.
     */
    public OptionalInt threads() {
        return devices.threads();
    }

    /** Returns the duration of opening and loading in milliseconds. */
    public double loadMillis() {
        return loadMillis;
    }

    /** Returns the number of logits of one token; at least the size of the tokenizer. */
    public int vocabularySize() {
        return adapter().shape().vocabularySize();
    }

    /** Computes the logits of every given token. Not to be used together with the engine. */
    public void logits(int[] tokens, LogitsSink sink) {
        model.logits(tokens, sink);
    }

    /**
     * Continues a prompt with the most likely tokens, and waits for them. An end token ends the
     * output and is not part of it. {@link #engine} offers more: sampling, streaming, cancelling,
     * and concurrent requests.
     *
     * @param prompt token ids, at least one
     * @param maxTokens most tokens to generate
     * @throws VarveException of kind CONTEXT_OVERFLOW if prompt and output exceed the context,
     *     CANCELLED if the thread is interrupted, of other kinds if a device fails
     */
    public int[] generate(int[] prompt, int maxTokens) {
        GenerationCollector answer = new GenerationCollector();
        GenerationHandle generation =
                engine().submit(
                                GenerationRequest.greedy(prompt, maxTokens)
                                        .endingAt(tokenizer.endTokens()),
                                answer);
        return answer.await(generation);
    }

    /**
     * Returns the tokens of a text to continue, after the token that begins a text if the model was
     * trained with one. Control tokens that are spelled out in it are recognised.
     */
    public int[] encode(String text) {
        int[] encoded = tokenizer.encode(text, true);
        if (!tokenizer.addsBos()) {
            return encoded;
        }
        int bos = tokenizer.bosId().orElseThrow();
        if (encoded.length > 0 && encoded[0] == bos) {
            return encoded;
        }
        int[] begun = new int[encoded.length + 1];
        begun[0] = bos;
        System.arraycopy(encoded, 0, begun, 1, encoded.length);
        return begun;
    }

    /**
     * Continues a text with the most likely tokens, and waits for them.
     *
     * @param maxTokens most tokens to generate
     * @return the continuation, without the text itself
     * @throws VarveException as for tokens
     */
    public String generate(String text, int maxTokens) {
        int[] answer = generate(encode(text), maxTokens);
        // A model may have more logits than its tokenizer has tokens; the others have no text.
        int known = tokenizer.vocabularySize();
        return tokenizer.decode(Arrays.stream(answer).filter(id -> id < known).toArray());
    }

    @Override
    public void close() {
        // Closes its devices after the model's shards, which compute on them.
        try (devices;
                adapterClaims) {
            closeModel();
        }
    }

    private synchronized void closeReplicas() {
        pool.ifPresentOrElse(EnginePool::close, () -> replicas.forEach(LoadedModel::close));
    }

    /** Closes the engine first: it may still use the drafter. */
    private void closeModel() {
        try (opening) {
            closeReplicas();
        } finally {
            auxiliaries.close();
        }
    }
}
