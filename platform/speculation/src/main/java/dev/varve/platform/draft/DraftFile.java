package dev.varve.platform.draft;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;

import java.util.List;
import java.util.Optional;

/**
 * A draft file that fits its target, with the weights that its network needs of both files. No
 * weights are loaded; immutable.
 *
 * @param file the draft's file
 * @param network its sizes and rules
 * @param names its tensors
 * @param embedding table of the block's tokens, the draft's own or the target's
 * @param head matrix from hidden states to logits, the draft's own or the target's
 * @param tokens for a head with fewer tokens than the target, the tensor of the target's tokens
 */
public record DraftFile(
        GgufFile file,
        DraftHyperparameters network,
        DraftTensorNames names,
        GgufTensor embedding,
        GgufTensor head,
        Optional<GgufTensor> tokens) {
    /** Whether files of this architecture are draft models. */
    public static boolean isDraft(String architecture) {
        return DraftMetadataReader.isDraft(architecture);
    }

    /**
     * Reads a draft and checks it against its target.
     *
     * @throws ModelFormatException naming file, key or tensor, what was expected and found, if it
     *     is no draft or does not fit the target
     */
    public static DraftFile of(GgufFile file, GgufFile targetFile, ModelShape target) {
        DraftHyperparameters network = DraftMetadataReader.read(file, targetFile, target);
        DraftTensorNames names = DraftTensorNames.of(file);
        // Fails now rather than when the weights are loaded.
        names.requireKnown(file, names.select(file, network));
        boolean mayOwn = file.architecture().equals(DraftMetadataReader.DFLASH);
        Optional<GgufTensor> ownEmbedding =
                mayOwn ? file.tensor(DraftTensorNames.EMBEDDING) : Optional.empty();
        Optional<GgufTensor> ownHead =
                mayOwn ? file.tensor(DraftTensorNames.HEAD) : Optional.empty();
        GgufTensor embedding =
                ownEmbedding.orElseGet(() -> targetFile.requireTensor(DraftTensorNames.EMBEDDING));
        int hidden = network.sizes().hidden();
        embedding.requireShape(hidden, target.vocabularySize());
        GgufTensor head =
                ownHead.or(() -> ownEmbedding)
                        .or(() -> targetFile.tensor(DraftTensorNames.HEAD))
                        .orElseGet(() -> targetFile.requireTensor(DraftTensorNames.EMBEDDING));
        Optional<GgufTensor> tokens = file.tensor(DraftTensorNames.TOKENS).filter(t -> mayOwn);
        head.requireShape(
                hidden, tokens.isPresent() ? tokens.get().ne(0) : target.vocabularySize());
        return new DraftFile(file, network, names, embedding, head, tokens);
    }

    /** All weights to load, of both files. */
    public TensorSelection selection() {
        TensorSelection.Builder builder = new TensorSelection.Builder();
        names.select(file, network)
                .entries()
                .forEach(each -> builder.add(each.tensor(), each.use()));
        builder.add(embedding, TensorUse.ROW_LOOKUP);
        builder.add(head, TensorUse.MATMUL);
        return builder.build();
    }

    /** Bytes of the weights. */
    public long weightBytes() {
        return selection().entries().stream().mapToLong(each -> each.tensor().bytes()).sum();
    }

    /** Layers of the target whose input the network reads. */
    public List<Integer> captures() {
        return network.captures();
    }

    /** Maximum draft length. */
    public int mostTokens() {
        return network.draftTokens();
    }
}
