package dev.varve.platform.remote;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.platform.wire.Message;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes steps of a draft model and its draft tokens. Hidden states are sent in F32 as the target
 * computed them: sequence by sequence, and layer by layer within a sequence.
 *
 * @param captures layers whose input the draft reads
 * @param hidden elements of each
 * @param vocabulary tokens of the target
 */
record DraftCodec(List<Integer> captures, int hidden, int vocabulary) {
    /** Largest number of draft tokens of one sequence. */
    static final int MOST_TOKENS = 1 << 10;

    private static final int MOST_EVENTS = 1 << 12;
    private static final int MOST_REQUESTS = 1 << 10;
    private static final int REMOVED = 0;
    private static final int FEATURES = 1;

    /** Bytes of one token's states. */
    int tokenBytes() {
        return captures.size() * hidden * Float.BYTES;
    }

    Message encode(DraftStep step) {
        FieldWriter fields = new FieldWriter();
        fields.number(step.events().size());
        int tokens = 0;
        for (DraftStep.Event event : step.events()) {
            switch (event) {
                case DraftStep.Event.Reset(long sequence) ->
                        fields.number(REMOVED).number(sequence);
                case DraftStep.Event.TokensComputed(HiddenStates states) -> {
                    fields.number(FEATURES)
                            .number(states.sequence())
                            .number(states.firstPosition())
                            .number(states.tokens());
                    tokens += states.tokens();
                }
            }
        }
        fields.number(step.requests().size());
        for (DraftStep.SequenceDraftRequest request : step.requests()) {
            fields.number(request.sequence())
                    .number(request.known())
                    .number(request.last())
                    .number(request.most())
                    .number(request.branched());
        }
        ByteBuffer payload =
                ByteBuffer.allocate(Math.multiplyExact(tokens, tokenBytes()))
                        .order(ByteOrder.LITTLE_ENDIAN);
        for (DraftStep.Event event : step.events()) {
            if (event instanceof DraftStep.Event.TokensComputed(HiddenStates states)) {
                states.layers().forEach(layer -> put(payload, layer, states.tokens()));
            }
        }
        return new Message(MessageType.DRAFT, fields.done(), payload.flip());
    }

    private void put(ByteBuffer payload, HiddenStates.Layer layer, int tokens) {
        int count = tokens * hidden;
        payload.asFloatBuffer().put(layer.values(), layer.firstColumn() * hidden, count);
        payload.position(payload.position() + count * Float.BYTES);
    }

    DraftStep decode(Message message) {
        FieldReader fields = new FieldReader(message.meta());
        ByteBuffer payload = message.payload();
        int eventCount = fields.number("events", 0, MOST_EVENTS);
        List<DraftStep.Event> events = new ArrayList<>(eventCount);
        for (int i = 0; i < eventCount; i++) {
            int kind = fields.number("event", REMOVED, FEATURES);
            long sequence = fields.number("sequence", Long.MIN_VALUE, Long.MAX_VALUE);
            events.add(
                    kind == REMOVED
                            ? new DraftStep.Event.Reset(sequence)
                            : features(sequence, fields, payload));
        }
        int requestCount = fields.number("asks", 0, MOST_REQUESTS);
        List<DraftStep.SequenceDraftRequest> requests = new ArrayList<>(requestCount);
        for (int i = 0; i < requestCount; i++) {
            requests.add(request(fields));
        }
        fields.end();
        if (payload.hasRemaining()) {
            throw FieldReader.invalid(
                    "hidden states", "no more bytes", payload.remaining() + " bytes");
        }
        return new DraftStep(events, requests);
    }

    private DraftStep.SequenceDraftRequest request(FieldReader fields) {
        long sequence = fields.number("sequence", Long.MIN_VALUE, Long.MAX_VALUE);
        int known = fields.number("tokens", 1, Integer.MAX_VALUE);
        int last = fields.number("last token", 0, vocabulary - 1);
        int most = fields.number("most", 1, MOST_TOKENS);
        int branched = fields.number("branched", 0, MOST_TOKENS);
        if (branched != 0 && branched < most) {
            throw FieldReader.invalid("branched", "0, or " + most + " or more", branched);
        }
        return new DraftStep.SequenceDraftRequest(sequence, known, last, most, branched);
    }

    private DraftStep.Event features(long sequence, FieldReader fields, ByteBuffer payload) {
        int position = fields.number("position", 0, Integer.MAX_VALUE - (1 << 20));
        int tokens = fields.number("tokens", 1, 1 << 20);
        if (payload.remaining() < (long) tokens * tokenBytes()) {
            throw FieldReader.invalid(
                    "hidden states",
                    (long) tokens * tokenBytes() + " bytes",
                    payload.remaining() + " bytes");
        }
        List<HiddenStates.Layer> layers = new ArrayList<>(captures.size());
        for (int layer : captures) {
            float[] values = BoundaryType.F32.get(tokens * hidden, payload);
            layers.add(new HiddenStates.Layer(layer, values, 0));
        }
        return new DraftStep.Event.TokensComputed(
                new HiddenStates(sequence, position, tokens, layers));
    }

    Message encode(List<Draft> drafts) {
        FieldWriter fields = new FieldWriter();
        fields.number(drafts.size());
        for (Draft draft : drafts) {
            fields.number(draft.grade()).number(draft.tokens().length);
            for (int token : draft.tokens()) {
                fields.number(token);
            }
            fields.flag(draft.branches());
            for (int i = 0; i < draft.tokens().length && draft.branches(); i++) {
                fields.number(draft.parents()[i]);
            }
        }
        return Message.of(MessageType.DRAFT, fields.done());
    }

    /**
     * Decodes draft tokens; rejects fields that do not match the requests.
     *
     * @throws dev.varve.platform.wire.WireException that names the field that does not match
     */
    List<Draft> decode(List<DraftStep.SequenceDraftRequest> requests, Message reply) {
        FieldReader fields = new FieldReader(reply.meta());
        fields.number("drafts", requests.size(), requests.size());
        List<Draft> drafts = new ArrayList<>(requests.size());
        for (DraftStep.SequenceDraftRequest request : requests) {
            int grade = fields.number("grade", 0, Draft.MOST_GRADE);
            int[] tokens = new int[fields.number("guesses", 0, request.tokens())];
            for (int i = 0; i < tokens.length; i++) {
                tokens[i] = fields.number("guess", 0, vocabulary - 1);
            }
            int[] parents = new int[fields.flag("branches") ? tokens.length : 0];
            for (int i = 0; i < parents.length; i++) {
                parents[i] = fields.number("parent", -1, i - 1);
            }
            drafts.add(new Draft(tokens, parents, grade));
        }
        fields.end();
        return drafts;
    }
}
