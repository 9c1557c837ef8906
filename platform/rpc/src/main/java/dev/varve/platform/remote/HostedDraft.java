package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.TokenHistory;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.platform.draft.DraftFile;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.wire.Message;

import java.util.List;

/** Draft model of a session: translates between its messages and the speculator. For one thread. */
final class HostedDraft extends SessionModel {
    private final DflashSpeculator speculator;
    private final DraftCodec codec;

    private HostedDraft(
            DflashSpeculator speculator,
            ComputeDevice device,
            DraftCodec codec,
            LoadedTensorDigests tensors) {
        super(device, tensors);
        this.speculator = speculator;
        this.codec = codec;
    }

    /**
     * Loads a draft model.
     *
     * @throws VarveException if a file is missing or differs from the server's, the draft does not
     *     fit the target, or memory is insufficient
     */
    static HostedDraft open(
            DraftLoadRequest request, ShardResources host, LoadProgressListener progress) {
        GgufFile targetFile = host.model(request.target().name());
        LayerSplitAdapter target = host.adapter(targetFile, request.target().options());
        GgufFile file = host.model(request.draft().name());
        ShardLoadRequest.Model mine =
                ShardLoadRequest.Model.of(targetFile, target, request.target().options());
        DraftLoadRequest.Draft myDraft = DraftLoadRequest.Draft.of(file);
        List<String> differences = request.differences(mine, myDraft);
        if (!differences.isEmpty()) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    request.target().name()
                            + " with "
                            + request.draft().name()
                            + ": the server and this shard have different files: "
                            + String.join("; ", differences));
        }
        DraftFile draft = DraftFile.of(file, targetFile, target.shape());
        ComputeDevice device = host.open(request.device().name(), request.device().options());
        try {
            LoadedTensorDigests tensors =
                    LoadedTensorDigests.of(
                            draft.selection(),
                            request.target().hasSameFiles(mine)
                                    && request.draft().hasSameFiles(myDraft),
                            host,
                            progress);
            return new HostedDraft(
                    DflashSpeculator.open(draft, request.limits(), device, request.settings()),
                    device,
                    codec(draft, target),
                    tensors);
        } catch (RuntimeException | Error e) {
            device.close();
            throw e;
        }
    }

    static DraftCodec codec(DraftFile draft, LayerSplitAdapter target) {
        return new DraftCodec(
                draft.captures(),
                target.shape().embeddingLength(),
                target.shape().vocabularySize());
    }

    @Override
    ShardMemory memory() {
        return new ShardMemory(speculator.bytes(), 0, 0, 0);
    }

    Message step(Message request) {
        DraftStep step = codec.decode(request);
        for (DraftStep.Event event : step.events()) {
            switch (event) {
                case DraftStep.Event.Reset(long sequence) -> speculator.forget(sequence);
                case DraftStep.Event.TokensComputed(HiddenStates states) ->
                        speculator.observe(states);
            }
        }
        List<Draft> drafts =
                step.requests().isEmpty()
                        ? List.of()
                        : speculator.propose(
                                step.requests().stream().map(HostedDraft::request).toList());
        return codec.encode(drafts);
    }

    private static DraftRequest request(DraftStep.SequenceDraftRequest ask) {
        return new DraftRequest(
                ask.sequence(),
                new LastTokenHistory(ask.known(), ask.last()),
                ask.most(),
                ask.branched());
    }

    /** History that holds only the last token; a draft network needs no other. */
    private record LastTokenHistory(int size, int token) implements TokenHistory {
        @Override
        public int get(int position) {
            if (position != size - 1) {
                throw new IndexOutOfBoundsException("token " + position + " of " + size);
            }
            return token;
        }
    }

    @Override
    public void close() {
        speculator.close();
        super.close();
    }
}
