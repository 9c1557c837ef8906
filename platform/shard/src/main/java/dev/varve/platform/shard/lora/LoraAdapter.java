package dev.varve.platform.shard.lora;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.gguf.ModelFormatException;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A LoRA adapter file, as llama.cpp's converter writes it, with the factor that the operator chose.
 *
 * @param file the file
 * @param scale the operator's factor
 * @param alpha the file's {@code adapter.lora.alpha}; 0 if the scale does not depend on the rank
 * @param pairs matrices by the weight that they change, in the order of the file
 * @param ignored tensors that are not used: norms, which no LoRA changes
 */
public record LoraAdapter(
        GgufFile file, float scale, float alpha, Map<String, Pair> pairs, List<String> ignored) {
    private static final String TYPE = "general.type";
    private static final String ADAPTER_TYPE = "adapter.type";
    private static final String ALPHA = "adapter.lora.alpha";
    private static final String INVOCATION = "adapter.alora.invocation_tokens";
    private static final String A = ".lora_a";
    private static final String B = ".lora_b";
    private static final String NORM = "_norm.weight";

    /**
     * The two matrices of a weight.
     *
     * @param a {@code [in, rank]}, for experts {@code [in, rank, experts]}; of the embedding table
     *     {@code [rank, vocabulary]}
     * @param b {@code [rank, out]}, for experts {@code [rank, out, experts]}
     */
    public record Pair(GgufTensor a, GgufTensor b) {
        /** Rank of the change. */
        public long rank() {
            return b.ne(0);
        }
    }

    /** Copies the collections. */
    public LoraAdapter {
        Objects.requireNonNull(file);
        pairs = Collections.unmodifiableMap(new LinkedHashMap<>(pairs));
        ignored = List.copyOf(ignored);
    }

    /**
     * Reads the header of an adapter.
     *
     * @param scale finite factor
     * @throws VarveException of kind UNSUPPORTED_MODEL if the file is no LoRA adapter or one of an
     *     unsupported kind, or CORRUPT_FILE if matrices are missing
     */
    public static LoraAdapter of(GgufFile file, float scale) {
        requireLora(file);
        Map<String, GgufTensor> firsts = new LinkedHashMap<>();
        Map<String, GgufTensor> seconds = new LinkedHashMap<>();
        List<String> ignored = new ArrayList<>();
        for (GgufTensor tensor : file.tensors()) {
            String name = tensor.name();
            if (name.endsWith(A)) {
                firsts.put(name.substring(0, name.length() - A.length()), tensor);
            } else if (name.endsWith(B)) {
                seconds.put(name.substring(0, name.length() - B.length()), tensor);
            } else if (name.endsWith(NORM)) {
                ignored.add(name);
            } else {
                throw new ModelFormatException(
                        file.path(),
                        "tensor " + name,
                        "a name that ends in .lora_a or .lora_b",
                        name);
            }
        }
        float alpha = (float) file.metadata().findNumber(ALPHA).orElse(0);
        if (!Float.isFinite(alpha)) {
            throw new ModelFormatException(
                    file.path(), ALPHA, "a finite number", Float.toString(alpha));
        }
        return new LoraAdapter(file, scale, alpha, pairs(file, firsts, seconds), ignored);
    }

    private static Map<String, Pair> pairs(
            GgufFile file, Map<String, GgufTensor> firsts, Map<String, GgufTensor> seconds) {
        Map<String, Pair> pairs = new LinkedHashMap<>();
        firsts.forEach(
                (weight, a) -> pairs.put(weight, new Pair(a, file.requireTensor(weight + B))));
        seconds.keySet().forEach(weight -> file.requireTensor(weight + A));
        if (pairs.isEmpty()) {
            throw new ModelFormatException(
                    file.path(), "tensors", "matrices of a LoRA adapter", "none");
        }
        return pairs;
    }

    private static void requireLora(GgufFile file) {
        String type = file.metadata().findString(TYPE).orElse("model");
        if (!type.equals("adapter")) {
            throw unsupported(
                    file.otherUse()
                            .filter(use -> !use.contains("LoRA"))
                            .orElse(
                                    name(file)
                                            + ": expected a LoRA adapter (general.type adapter),"
                                            + " found general.type "
                                            + printable(type)));
        }
        String kind = file.metadata().findString(ADAPTER_TYPE).orElse("");
        if (!kind.equals("lora")) {
            throw unsupported(
                    name(file)
                            + ": expected an adapter of type lora, found "
                            + (kind.isEmpty() ? "none" : printable(kind)));
        }
        if (file.metadata().has(INVOCATION)) {
            throw unsupported(
                    name(file)
                            + ": this adapter begins at a sequence of tokens (activated LoRA),"
                            + " which is not supported");
        }
    }

    private static VarveException unsupported(String message) {
        return new VarveException(VarveException.Kind.UNSUPPORTED_MODEL, message);
    }

    private static String name(GgufFile file) {
        return file.path().getFileName().toString();
    }

    private static String printable(String text) {
        String clean = text.replaceAll("\\p{Cntrl}", "?");
        return clean.length() <= 64 ? clean : clean.substring(0, 64);
    }

    /** Returns the matrices that change a weight. */
    public Optional<Pair> pair(String weight) {
        return Optional.ofNullable(pairs.get(weight));
    }

    /** Returns the factor of {@code B(A x)} of a pair, for the adapter with a number. */
    LoraFactor factor(int number, Pair pair) {
        return new LoraFactor(number, scale, alpha, pair.rank());
    }
}
