package dev.varve.platform.remote;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.local.PromptScan;
import dev.varve.platform.shard.local.ResidentScan;
import dev.varve.platform.shard.scoring.BlockRule;
import dev.varve.platform.shard.scoring.SparseAttention;
import dev.varve.platform.wire.Message;

import java.util.Optional;

/**
 * What a server wants a shard process to read texts with. The file is named and compared as in a
 * {@link LoadRequest}.
 *
 * @param model the model that reads
 * @param look which of its layers count, how many of a text's last tokens look, and whether their
 *     positions matter
 * @param residency whether the weights stay in memory
 * @param device where to compute
 */
public record ScanLoadRequest(
        LoadRequest.Model model,
        PromptScan.Look look,
        ResidentScan.Residency residency,
        LoadRequest.Device device) {
    /** Most of the last tokens that look. */
    private static final int MOST_TAIL = 1 << 10;

    Message encode() {
        FieldWriter fields = new FieldWriter();
        model.put(fields);
        fields.text(device.name());
        device.putOptions(fields);
        fields.number(look.layers().begin())
                .number(look.layers().end())
                .number(look.tail())
                .flag(look.rotated())
                .flag(look.sparse().isPresent());
        look.sparse().ifPresent(sparse -> put(fields, sparse));
        fields.number(EnumCodec.SCAN_RESIDENCY.number(residency));
        return Message.of(MessageType.LOAD_SCAN, fields.done());
    }

    private static void put(FieldWriter fields, SparseAttention sparse) {
        BlockRule rule = sparse.rule();
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
        BlockRule rule =
                new BlockRule(
                        alpha,
                        fields.number("sinks", 0, Integer.MAX_VALUE),
                        fields.number("window", 1, Integer.MAX_VALUE),
                        fields.number("full blocks", 0, Integer.MAX_VALUE));
        return Optional.of(
                new SparseAttention(rule, fields.number("least tokens", 1, Integer.MAX_VALUE)));
    }

    static ScanLoadRequest decode(Message message) {
        FieldReader fields = new FieldReader(message.meta());
        LoadRequest.Model model = LoadRequest.Model.get(fields);
        LoadRequest.Device device =
                new LoadRequest.Device(
                        LoadRequest.Device.name(fields), LoadRequest.Device.options(fields));
        int layers = model.shape().layers();
        int begin = fields.number("first layer that looks", 0, layers - 1);
        LayerRange range =
                new LayerRange(begin, fields.number("end layer that looks", begin + 1, layers));
        PromptScan.Look look =
                new PromptScan.Look(
                        range,
                        fields.number("tail", 1, MOST_TAIL),
                        fields.flag("rotated"),
                        sparse(fields));
        ResidentScan.Residency residency = EnumCodec.SCAN_RESIDENCY.get(fields);
        fields.end();
        return new ScanLoadRequest(model, look, residency, device);
    }
}
