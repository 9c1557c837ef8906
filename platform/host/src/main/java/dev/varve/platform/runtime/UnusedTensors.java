package dev.varve.platform.runtime;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.setting.Setting;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Tensors of a model file that no shard loads.
 *
 * @param byReason only reasons with at least one tensor
 */
public record UnusedTensors(GgufFile file, int layers, Map<Reason, List<GgufTensor>> byReason) {
    private static final Pattern BLOCK = Pattern.compile("blk\\.(\\d{1,9})\\.(.*)");
    private static final Pattern KEYS_AND_VALUES = Pattern.compile("attn_[kv](_norm)?\\..*");
    private static final Pattern ROTATIONS = Pattern.compile("rope_factors_(long|short)\\.weight");
    private static final String PREDICTION_BLOCKS = ".nextn_predict_layers";
    private static final int NAMED = 3;

    /** Why tensors are not loaded. */
    public enum Reason {
        /** Blocks behind the last layer, as the file declares them. */
        MULTI_TOKEN_PREDICTION(
                "for multi-token prediction, used only with " + Setting.DRAFT + " mtp"),

        /** Keys and values of layers that use those of an earlier layer. */
        SHARED_KEYS_AND_VALUES(
                "for keys and values of layers that use the KV cache of an earlier layer"),

        /** Rotations for sequences of another length. */
        OTHER_CONTEXT_LENGTH(
                "for sequences of another length; " + Setting.CONTEXT_TOKENS + " decides"),

        /** A valid file has none of these. */
        UNKNOWN("not used by this model");

        private final String text;

        Reason(String text) {
            this.text = text;
        }
    }

    /** Copies the map. */
    public UnusedTensors {
        byReason = Map.copyOf(byReason);
    }

    /** Compares a file with the tensors that a shard of all layers loads. */
    public static UnusedTensors of(GgufFile file, LayerSplitAdapter model) {
        ModelShape shape = model.shape();
        Set<String> used =
                model.tensors(shape.allLayers()).entries().stream()
                        .map(entry -> entry.tensor().name())
                        .collect(Collectors.toSet());
        long predicting =
                file.metadata().findInteger(file.architecture() + PREDICTION_BLOCKS).orElse(0);
        Map<Reason, List<GgufTensor>> unused = new EnumMap<>(Reason.class);
        for (GgufTensor tensor : file.tensors()) {
            if (!used.contains(tensor.name())) {
                Reason reason =
                        isOfOtherContext(tensor.name(), model)
                                ? Reason.OTHER_CONTEXT_LENGTH
                                : reason(tensor.name(), shape.layers(), predicting);
                unused.computeIfAbsent(reason, each -> new ArrayList<>()).add(tensor);
            }
        }
        return new UnusedTensors(file, shape.layers().size(), unused);
    }

    private static boolean isOfOtherContext(String name, LayerSplitAdapter model) {
        return model.contextVariant().isPresent() && ROTATIONS.matcher(name).matches();
    }

    private static Reason reason(String name, List<LayerState> layers, long predicting) {
        Matcher block = BLOCK.matcher(name);
        if (!block.matches()) {
            return Reason.UNKNOWN;
        }
        int number = Integer.parseInt(block.group(1));
        if (number >= layers.size()) {
            return number < layers.size() + predicting
                    ? Reason.MULTI_TOKEN_PREDICTION
                    : Reason.UNKNOWN;
        }
        return layers.get(number) instanceof LayerState.SharedAttention
                        && KEYS_AND_VALUES.matcher(block.group(2)).matches()
                ? Reason.SHARED_KEYS_AND_VALUES
                : Reason.UNKNOWN;
    }

    /** Returns the tensors that are not loaded for a reason. */
    public List<GgufTensor> tensors(Reason reason) {
        return byReason.getOrDefault(reason, List.of());
    }

    /** Returns a warning for the operator: most likely the file is damaged or not supported. */
    public Optional<String> warning() {
        return describe(Reason.UNKNOWN)
                .map(
                        text ->
                                text
                                        + " of "
                                        + layers
                                        + (layers == 1 ? " layer" : " layers")
                                        + "; if "
                                        + file.architecture()
                                        + ".block_count is right, the file is damaged or of an"
                                        + " unknown newer kind");
    }

    /** Returns notes on tensors that are expected to be left out. */
    public List<String> notes() {
        return byReason.keySet().stream()
                .filter(reason -> reason != Reason.UNKNOWN)
                .sorted()
                .flatMap(reason -> describe(reason).stream())
                .toList();
    }

    /** Describes a reason, such as {@code a.gguf: 12 tensors of 0.3 MiB (x, y, z, ...) for ...}. */
    private Optional<String> describe(Reason reason) {
        List<GgufTensor> tensors = tensors(reason);
        if (tensors.isEmpty()) {
            return Optional.empty();
        }
        String names =
                tensors.stream()
                        .limit(NAMED)
                        .map(GgufTensor::name)
                        .collect(Collectors.joining(", "));
        return Optional.of(
                String.format(
                        Locale.ROOT,
                        "%s: %d %s of %s (%s%s) %s",
                        file.path().getFileName(),
                        tensors.size(),
                        tensors.size() == 1 ? "tensor" : "tensors",
                        ByteCount.format(bytes(reason)),
                        names,
                        tensors.size() > NAMED ? ", ..." : "",
                        reason.text));
    }

    /** Returns the bytes in the file that are not loaded for a reason. */
    public long bytes(Reason reason) {
        return tensors(reason).stream().mapToLong(GgufTensor::bytes).sum();
    }
}
