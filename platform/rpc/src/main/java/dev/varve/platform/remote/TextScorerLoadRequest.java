package dev.varve.platform.remote;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.local.LayerMajorImportanceScorer;
import dev.varve.platform.shard.local.LocalImportanceScorer;
import dev.varve.platform.shard.scoring.BlockSelectionRule;
import dev.varve.platform.shard.scoring.SparseAttention;
import dev.varve.platform.wire.Message;

import java.util.Optional;

/**
 * Request to load a text-scoring model in a shard process. The file is named and compared as in a
 * {@link ShardLoadRequest}.
 *
 * @param model the scoring model
 * @param options which of its layers count, how many of a text's last tokens act as queries, and
 *     whether their positions matter
 * @param residency whether the weights stay in memory
 * @param device device that computes it
 */
public record TextScorerLoadRequest(
        ShardLoadRequest.Model model,
        LayerMajorImportanceScorer.ScoringOptions options,
        LocalImportanceScorer.Residency residency,
        ShardLoadRequest.Device device) {
    /** Largest number of last tokens that act as queries. */
    private static final int MOST_TAIL = 1 << 10;

    Message encode() {
        FieldWriter fields = new FieldWriter();
        model.put(fields);
        fields.text(device.name());
        device.putOptions(fields);
        fields.number(options.layers().begin())
                .number(options.layers().end())
                .number(options.tail())
                .flag(options.rotated())
                .flag(options.sparse().isPresent());
        options.sparse().ifPresent(sparse -> put(fields, sparse));
        fields.number(EnumCodec.SCAN_RESIDENCY.number(residency));
        return Message.of(MessageType.LOAD_SCAN, fields.done());
    }

    private static void put(FieldWriter fields, SparseAttention sparse) {
        BlockSelectionRule rule = sparse.rule();
        fields.real(rule.alpha())
                .number(rule.sinks())
                .number(rule.window())
                .number(rule.full())
                .number(sparse.leastTokens());
    }

    private static Optional<SparseAttention> sparse(FieldReader fields) {
        if (!fields.flag("sparse")) {
            return Optional.empty();
        }
        double alpha = fields.real("alpha");
        if (!(alpha > 0 && alpha < 1)) {
            throw FieldReader.invalid("alpha", "more than 0 and less than 1", alpha);
        }
        BlockSelectionRule rule =
                new BlockSelectionRule(
                        alpha,
                        fields.number("sinks", 0, Integer.MAX_VALUE),
                        fields.number("window", 1, Integer.MAX_VALUE),
                        fields.number("full blocks", 0, Integer.MAX_VALUE));
        return Optional.of(
                new SparseAttention(rule, fields.number("least tokens", 1, Integer.MAX_VALUE)));
    }

    static TextScorerLoadRequest decode(Message message) {
        FieldReader fields = new FieldReader(message.meta());
        ShardLoadRequest.Model model = ShardLoadRequest.Model.get(fields);
        ShardLoadRequest.Device device = ShardLoadRequest.Device.get(fields);
        int layers = model.shape().layers();
        int begin = fields.number("first layer that looks", 0, layers - 1);
        LayerRange range =
                new LayerRange(begin, fields.number("end layer that looks", begin + 1, layers));
        LayerMajorImportanceScorer.ScoringOptions options =
                new LayerMajorImportanceScorer.ScoringOptions(
                        range,
                        fields.number("tail", 1, MOST_TAIL),
                        fields.flag("rotated"),
                        sparse(fields));
        LocalImportanceScorer.Residency residency = EnumCodec.SCAN_RESIDENCY.get(fields);
        fields.end();
        return new TextScorerLoadRequest(model, options, residency, device);
    }
}
