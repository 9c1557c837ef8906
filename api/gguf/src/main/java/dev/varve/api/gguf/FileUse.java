package dev.varve.api.gguf;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Purposes of GGUF files that are not models which can be loaded alone. */
enum FileUse {
    ADAPTER(
            "a LoRA adapter, which changes the weights of a base model and cannot be served alone;"
                    + " use the base model, and this file as its adapter (--lora)"),
    CONTROL_VECTOR(
            "a control vector, which is added to the activations of a model and cannot be served"
                    + " alone; use the model's own file"),
    PROJECTOR(
            "a multimodal projector (mmproj), which encodes images or sound for a language model"
                    + " and cannot be served alone; use the file of the language model"),
    IMPORTANCE_MATRIX(
            "an importance matrix (imatrix), which guides the quantisation of a model and cannot be"
                    + " served; use the model's own file"),
    VOCABULARY(
            "a vocabulary without weights, which can tokenise and cannot be served; use the model's"
                    + " own file"),
    NO_TENSORS("a GGUF file without tensors; use the model's own file");

    private final String sentence;

    FileUse(String sentence) {
        this.sentence = sentence;
    }

    /** Names the kind of file and the remedy; continues the words "this is". */
    String sentence() {
        return sentence;
    }

    /** Empty for a model, a draft model included. */
    static Optional<FileUse> of(GgufMetadata metadata, Collection<GgufTensor> tensors) {
        String type = metadata.findString("general.type").orElse("");
        String architecture = metadata.findString("general.architecture").orElse("");
        if (architecture.equals("controlvector")) {
            return Optional.of(CONTROL_VECTOR);
        }
        if (type.equals("adapter")
                || metadata.has("adapter.type")
                || tensors.stream().anyMatch(each -> hasEnding(each, ".lora_a", ".lora_b"))) {
            return Optional.of(ADAPTER);
        }
        if (type.equals("mmproj") || type.equals("clip-vision") || architecture.equals("clip")) {
            return Optional.of(PROJECTOR);
        }
        if (tensors.isEmpty()) {
            return Optional.of(metadata.has("tokenizer.ggml.tokens") ? VOCABULARY : NO_TENSORS);
        }
        if (type.equals("imatrix")
                || metadata.has("imatrix.chunk_count")
                || tensors.stream().allMatch(each -> hasEnding(each, ".in_sum2", ".counts"))) {
            return Optional.of(IMPORTANCE_MATRIX);
        }
        return Optional.empty();
    }

    private static boolean hasEnding(GgufTensor tensor, String... endings) {
        return List.of(endings).stream().anyMatch(tensor.name()::endsWith);
    }
}
