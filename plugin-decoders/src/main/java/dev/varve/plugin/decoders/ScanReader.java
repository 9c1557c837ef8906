package dev.varve.plugin.decoders;

import dev.varve.api.model.ModelKeys;

/** Reads the sizes of scans. */
final class ScanReader {
    private ScanReader() {}

    static SelectiveScan.Lengths lengths(DecoderFile file) {
        ModelKeys keys = file.keys();
        int kernel = keys.positive("ssm.conv_kernel");
        if (kernel < 2) {
            throw keys.wrong("ssm.conv_kernel", "at least 2", kernel);
        }
        int inner = keys.positive("ssm.inner_size");
        int heads = keys.positive("ssm.time_step_rank");
        int groups = keys.positive("ssm.group_count");
        requireDivisor(keys, "ssm.time_step_rank", heads, inner);
        requireDivisor(keys, "ssm.group_count", groups, heads);
        return new SelectiveScan.Lengths(
                kernel, inner, keys.positive("ssm.state_size"), groups, heads);
    }

    private static void requireDivisor(ModelKeys keys, String name, int divisor, int of) {
        if (of % divisor != 0) {
            throw keys.wrong(name, "a divisor of " + of, divisor);
        }
    }
}
