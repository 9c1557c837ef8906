package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.content.FileIdentity;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.TensorPlacement;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.lora.AdaptedModel;
import dev.varve.platform.wire.Message;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * Request to load a layer range in a shard process. The model is named by file name and digest: no
 * path is sent, and a process whose file of that name differs refuses the request.
 *
 * @param model the server's model
 * @param range layers
 * @param tensors weights on other devices of the process than {@code device}
 * @param shard sizes of the caches
 * @param device device that computes it
 * @param boundaryType element type of activations on the wire
 */
public record ShardLoadRequest(
        Model model,
        LayerRange range,
        TensorPlacement tensors,
        ShardOptions shard,
        Device device,
        BoundaryType boundaryType,
        List<LoraReference> adapters) {
    private static final int NAME = 255;
    private static final int MOST_TENSORS = 1 << 16;

    /** Copies the list. */
    public ShardLoadRequest {
        adapters = List.copyOf(adapters);
    }

    /** Creates a request without adapters. */
    public ShardLoadRequest(
            Model model,
            LayerRange range,
            TensorPlacement tensors,
            ShardOptions shard,
            Device device,
            BoundaryType boundaryType) {
        this(model, range, tensors, shard, device, boundaryType, List.of());
    }

    /** Returns this request with the adapters of a model. */
    public ShardLoadRequest adaptedAs(LayerSplitAdapter adapted) {
        return with(LoraReference.of(AdaptedModel.numbered(adapted)));
    }

    /** Returns this request with one more adapter, in place of one with the same number. */
    ShardLoadRequest with(LoraReference adapter) {
        List<LoraReference> all = new ArrayList<>(without(adapter.number()).adapters);
        all.add(adapter);
        all.sort(Comparator.comparingInt(LoraReference::number));
        return with(all);
    }

    /** Returns this request without the adapter with a number. */
    ShardLoadRequest without(int number) {
        return with(adapters.stream().filter(each -> each.number() != number).toList());
    }

    ShardLoadRequest with(List<LoraReference> others) {
        return new ShardLoadRequest(model, range, tensors, shard, device, boundaryType, others);
    }

    /** Creates a request with all weights on one device. */
    public ShardLoadRequest(
            Model model,
            LayerRange range,
            ShardOptions shard,
            Device device,
            BoundaryType boundaryType) {
        this(model, range, TensorPlacement.NONE, shard, device, boundaryType);
    }

    /** Characters of a {@link ModelDigest}. */
    static final int DIGEST = 64;

    /**
     * A model, as both sides must see it.
     *
     * @param name file name
     * @param digest {@link ModelDigest} of the file
     * @param files {@link FileIdentity#digest} of its parts; empty where that is not known
     * @param shape its sizes
     * @param options how its family reads the file
     */
    public record Model(
            String name,
            String digest,
            Optional<String> files,
            ModelDimensions shape,
            ModelOptions options) {
        /** Describes the model that this process sees. */
        public static Model of(GgufFile file, LayerSplitAdapter adapter, ModelOptions options) {
            return new Model(
                    file.path().getFileName().toString(),
                    ModelDigest.of(file),
                    FileIdentity.digest(file.parts()),
                    ModelDimensions.of(adapter.shape()),
                    options);
        }

        void put(FieldWriter fields) {
            fields.text(name)
                    .text(digest)
                    .text(files.orElse(""))
                    .text(shape.architecture())
                    .number(shape.layers())
                    .number(shape.embeddingLength())
                    .number(shape.vocabulary())
                    .real(options.yarnBetaFast().orElse(0))
                    .real(options.yarnBetaSlow().orElse(0))
                    .number(options.contextTokens().orElse(0));
        }

        static Model get(FieldReader fields) {
            String name = fileName("model", fields);
            String digest = fields.text("digest", DIGEST);
            Optional<String> files = fileStates(fields);
            ModelDimensions shape =
                    new ModelDimensions(
                            fields.text("architecture", NAME),
                            fields.number("layers", 1, 1 << 16),
                            fields.number("embedding length", 1, 1 << 24),
                            fields.number("vocabulary", 1, 1 << 28));
            ModelOptions options =
                    new ModelOptions(
                            positive(fields.real("yarn beta fast")),
                            positive(fields.real("yarn beta slow")),
                            positive(fields.number("context tokens", 0, Integer.MAX_VALUE)));
            return new Model(name, digest, files, shape, options);
        }

        /** Whether another process sees the same files in the same state. */
        boolean hasSameFiles(Model other) {
            return files.isPresent() && files.equals(other.files);
        }

        /** Lists the fields in which the processes differ, with both values. */
        List<String> differences(Model other) {
            List<String> found = new ArrayList<>();
            differ(found, "digest", digest, other.digest);
            differ(found, "architecture", shape.architecture, other.shape.architecture);
            differ(found, "layers", shape.layers, other.shape.layers);
            differ(found, "embedding length", shape.embeddingLength, other.shape.embeddingLength);
            differ(found, "vocabulary", shape.vocabulary, other.shape.vocabulary);
            return found;
        }

        /**
         * Checks that this process sees the same model.
         *
         * @throws VarveException of kind INVALID_REQUEST with both values if not
         */
        void requireAlike(Model mine) {
            List<String> differences = differences(mine);
            if (!differences.isEmpty()) {
                throw new VarveException(
                        VarveException.Kind.INVALID_REQUEST,
                        name
                                + ": the server and this shard have different files: "
                                + String.join("; ", differences));
            }
        }

        private static void differ(List<String> found, String field, Object mine, Object other) {
            if (!mine.equals(other)) {
                found.add(field + " " + mine + " on the server, " + other + " on the shard");
            }
        }
    }

    /**
     * Sizes of a model that both sides must agree on.
     *
     * @param architecture its family
     * @param layers number of layers of the backbone
     * @param embeddingLength width of the hidden state
     * @param vocabulary rows of the head
     */
    public record ModelDimensions(
            String architecture, int layers, int embeddingLength, int vocabulary) {
        static ModelDimensions of(ModelShape shape) {
            return new ModelDimensions(
                    shape.architecture(),
                    shape.layerCount(),
                    shape.embeddingLength(),
                    shape.vocabularySize());
        }
    }

    /**
     * A device of the other process.
     *
     * @param name such as {@code cpu:0}
     * @param options its threads; shared cores are cores that the server or another of its shards
     *     also uses
     */
    public record Device(String name, DeviceOptions options) {
        void putOptions(FieldWriter fields) {
            fields.number(options.threads().orElse(0))
                    .number(options.threadsBatch().orElse(0))
                    .flag(options.sharedCores());
        }

        /** Reads a name that the options follow. */
        static Device get(FieldReader fields) {
            return new Device(name(fields), options(fields));
        }

        static String name(FieldReader fields) {
            return fields.text("device", NAME);
        }

        static DeviceOptions options(FieldReader fields) {
            return new DeviceOptions(
                    positive(fields.number("threads", 0, 512)),
                    positive(fields.number("prefill threads", 0, 512)),
                    fields.flag("shared cores"));
        }
    }

    /** Encodes the request. */
    Message encode() {
        FieldWriter fields = new FieldWriter();
        model.put(fields);
        fields.text(device.name())
                .number(range.begin())
                .number(range.end())
                .text(shard.cacheTypes().key().ggufName())
                .text(shard.cacheTypes().value().ggufName())
                .number(shard.capacities().slots())
                .number(shard.capacities().stateRows())
                .number(shard.capacities().regionSlots())
                .number(shard.capacities().rollbackBuffers().count())
                .number(shard.capacities().rollbackBuffers().tokens())
                // Weights are mapped where that is supported.
                .flag(true)
                .flag(shard.weights() == WeightLayout.REPACKED)
                .number(EnumCodec.FLASH_ATTENTION.number(shard.numerics().flashAttention()))
                .number(EnumCodec.EXACT_ROWS.number(shard.numerics().exactRows()));
        device.putOptions(fields);
        fields.number(EnumCodec.BOUNDARY_TYPE.number(boundaryType)).number(shard.captures().size());
        shard.captures().forEach(fields::number);
        fields.flag(shard.scoresPages());
        putTensors(fields);
        return Message.of(MessageType.LOAD, fields.done());
    }

    /**
     * Written only if a weight is elsewhere, experts are streamed or the model has adapters: other
     * requests are understood by older processes, which refuse these.
     */
    private void putTensors(FieldWriter fields) {
        boolean streams = shard.weights() == WeightLayout.STREAMED;
        boolean adapted = !adapters.isEmpty();
        if (streams && shard.expertCacheBytes() < 1) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    "streamed experts need a cache of at least 1 byte, found "
                            + shard.expertCacheBytes());
        }
        if (!tensors.isEmpty() || streams || adapted) {
            fields.number(tensors.devices().size());
            tensors.devices().forEach((tensor, other) -> fields.text(tensor).text(other));
        }
        if (streams || adapted) {
            fields.number(streams ? shard.expertCacheBytes() : 0);
        }
        if (adapted) {
            fields.number(adapters.size());
            adapters.forEach(adapter -> adapter.put(fields));
        }
    }

    private static ShardOptions streamed(FieldReader fields, ShardOptions options) {
        if (fields.isAtEnd()) {
            return options;
        }
        long bytes = fields.number("expert cache", 0L, Long.MAX_VALUE);
        if (bytes == 0 && !fields.isAtEnd()) {
            // Only adapters follow.
            return options;
        }
        if (bytes == 0) {
            throw FieldReader.invalid("expert cache", "bytes or adapters", "neither");
        }
        return options.withWeights(WeightLayout.STREAMED).withExpertCache(bytes);
    }

    private static List<LoraReference> adapters(FieldReader fields) {
        List<LoraReference> adapters = new ArrayList<>();
        if (!fields.isAtEnd()) {
            int count = fields.number("adapters", 1, LoraReference.MOST);
            for (int i = 0; i < count; i++) {
                LoraReference adapter = LoraReference.get(fields);
                if (i > 0 && adapter.number() <= adapters.getLast().number()) {
                    throw FieldReader.invalid(
                            "number of the adapter",
                            "more than " + adapters.getLast().number(),
                            Integer.toString(adapter.number()));
                }
                adapters.add(adapter);
            }
        }
        return adapters;
    }

    private static TensorPlacement tensors(FieldReader fields) {
        if (fields.isAtEnd()) {
            return TensorPlacement.NONE;
        }
        int count = fields.number("tensors", 0, MOST_TENSORS);
        Map<String, String> devices = new HashMap<>();
        for (int i = 0; i < count; i++) {
            devices.put(fields.text("tensor", NAME), fields.text("device of the tensor", NAME));
        }
        return new TensorPlacement(devices);
    }

    static ShardLoadRequest decode(Message message) {
        FieldReader fields = new FieldReader(message.meta());
        Model model = Model.get(fields);
        int layers = model.shape().layers();
        String device = Device.name(fields);
        int begin = fields.number("first layer", 0, layers - 1);
        LayerRange range = new LayerRange(begin, fields.number("end layer", begin + 1, layers));
        CacheTypes types = new CacheTypes(type(fields, "K type"), type(fields, "V type"));
        CacheCapacities capacities =
                new CacheCapacities(
                        fields.number("slots", 1, Integer.MAX_VALUE),
                        fields.number("state rows", 2, 1 << 16),
                        fields.number("region slots", 0, Integer.MAX_VALUE),
                        rollbackBuffers(fields));
        fields.flag("map weights");
        ShardOptions shard =
                ShardOptions.of(types, capacities)
                        .withWeights(
                                fields.flag("repack weights")
                                        ? WeightLayout.REPACKED
                                        : WeightLayout.AS_IN_FILE)
                        .withFlashAttention(EnumCodec.FLASH_ATTENTION.get(fields))
                        .withExactRows(EnumCodec.EXACT_ROWS.get(fields));
        DeviceOptions threads = Device.options(fields);
        BoundaryType boundary = EnumCodec.BOUNDARY_TYPE.get(fields);
        List<Integer> captures = captures(fields, layers);
        ShardOptions captured = shard.withCaptures(captures);
        ShardOptions all = fields.flag("scores pages") ? captured.scoringPages() : captured;
        TensorPlacement tensors = tensors(fields);
        ShardOptions streamed = streamed(fields, all);
        List<LoraReference> adapters = adapters(fields);
        fields.end();
        return new ShardLoadRequest(
                model, range, tensors, streamed, new Device(device, threads), boundary, adapters);
    }

    private static RollbackBufferSizes rollbackBuffers(FieldReader fields) {
        int count = fields.number("stashes", 0, 1 << 16);
        boolean any = count > 0;
        return new RollbackBufferSizes(
                count, fields.number("stash tokens", any ? 1 : 0, any ? 1 << 10 : 0));
    }

    private static List<Integer> captures(FieldReader fields, int layers) {
        int count = fields.number("captures", 0, layers + 1);
        List<Integer> captures = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            captures.add(fields.number("capture", 0, layers));
        }
        return captures;
    }

    static Optional<String> fileStates(FieldReader fields) {
        return Optional.of(fields.text("files", DIGEST)).filter(text -> !text.isEmpty());
    }

    /** Reads a file name; rejects names with a path. */
    static String fileName(String field, FieldReader fields) {
        String name = fields.text(field, NAME);
        if (name.isBlank() || name.contains("/") || name.contains("\0") || name.startsWith(".")) {
            throw FieldReader.invalid(field, "a file name", "something else");
        }
        return name;
    }

    private static GgmlType type(FieldReader fields, String field) {
        String name = fields.text(field, 32);
        return GgmlType.parse(name)
                .orElseThrow(() -> FieldReader.invalid(field, "a known type", "another"));
    }

    private static OptionalDouble positive(double value) {
        return value > 0 ? OptionalDouble.of(value) : OptionalDouble.empty();
    }

    private static OptionalInt positive(int value) {
        return value > 0 ? OptionalInt.of(value) : OptionalInt.empty();
    }
}
