package dev.varve.plugin.decoders;

import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.contracts.FamilyFileTest;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Nested;

import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;

/** Layouts that differ most: their files are read, and invalid ones are refused. */
class DecoderLayoutFileTest {
    /** Files of one layout. */
    abstract static class Layout extends FamilyFileTest {
        private final DecoderLayout layout;

        Layout(DecoderLayout layout) {
            this.layout = layout;
        }

        @Override
        protected ModelFamilyProvider family() {
            return new DecoderFamilies();
        }

        @Override
        protected GgufWriter tiny() {
            return odd(1);
        }

        @Override
        protected GgufWriter odd(long seed) {
            return new DecoderModel(layout, seed, TensorType.F32).writer();
        }

        @Override
        protected boolean isOptional(String tensor) {
            return false;
        }

        @Override
        protected List<String> ownKeys() {
            return List.of();
        }
    }

    @Nested
    class Llama extends Layout {
        Llama() {
            super(DecoderLayout.LLAMA);
        }

        @Override
        protected boolean isOptional(String tensor) {
            return tensor.equals("output.weight")
                    || tensor.equals("rope_freqs.weight")
                    || tensor.endsWith(".bias");
        }

        @Override
        protected List<SenselessNumber> ownSenselessNumbers() {
            return List.of(
                    new SenselessNumber("feed_forward_length", 0, "feed_forward_length"),
                    new SenselessNumber("feed_forward_length", -1, "feed_forward_length"),
                    new SenselessNumber(
                            "rope.dimension_count", 16, "64 (the head length), found 16"),
                    new SenselessNumber("rope.scaling.factor", -2.5f, "positive"),
                    new SenselessNumber("attention.head_count_kv", 0, "from 1"),
                    new SenselessNumber("expert_count", 4097, "from 0 to 4096"));
        }
    }

    @Nested
    class Mixtral extends Layout {
        Mixtral() {
            super(DecoderLayout.MIXTRAL);
        }

        @Override
        protected boolean isOptional(String tensor) {
            return tensor.equals("output.weight");
        }

        @Override
        protected List<String> ownKeys() {
            return List.of("expert_used_count");
        }

        @Override
        protected List<SenselessNumber> ownSenselessNumbers() {
            return List.of(
                    new SenselessNumber("feed_forward_length", 0, "feed_forward_length"),
                    new SenselessNumber("expert_count", -1, "from 0 to 4096"),
                    new SenselessNumber("expert_used_count", 0, "expert_used_count"),
                    new SenselessNumber("expert_used_count", 9, "at most 8"));
        }
    }

    @Nested
    class GptOss extends Layout {
        GptOss() {
            super(DecoderLayout.GPT_OSS);
        }

        @Override
        protected boolean isOptional(String tensor) {
            return tensor.endsWith(".bias");
        }

        @Override
        protected Set<String> otherKeys() {
            return Set.of("feed_forward_length");
        }

        @Override
        protected List<String> ownKeys() {
            return List.of(
                    "attention.sliding_window",
                    "expert_count",
                    "expert_used_count",
                    "expert_feed_forward_length");
        }

        @Override
        protected List<SenselessNumber> ownSenselessNumbers() {
            return List.of(
                    new SenselessNumber("attention.sliding_window", 0, "attention.sliding_window"),
                    new SenselessNumber("attention.sliding_window_pattern", 0, "pattern"),
                    new SenselessNumber(
                            "attention.sliding_window_pattern",
                            GgufValue.ints(List.of(1, 0)),
                            "at least 4 entries"),
                    new SenselessNumber("rope.freq_base_swa", -1f, "positive"),
                    new SenselessNumber("rope.scaling.original_context_length", 0, "context"),
                    new SenselessNumber("expert_count", 0, "at least 1"),
                    new SenselessNumber("expert_used_count", 9, "at most 8"),
                    new SenselessNumber("expert_feed_forward_length", 0, "expert_feed"));
        }
    }

    @Nested
    class Deepseek2 extends Layout {
        Deepseek2() {
            super(DecoderLayout.DEEPSEEK2);
        }

        /** With separate matrices of experts: without a joint one, a separate one is missing. */
        @Override
        protected GgufWriter tiny() {
            return LongStream.iterate(1, seed -> seed + 1)
                    .mapToObj(this::odd)
                    .filter(
                            writer ->
                                    writer.tensorNames().stream()
                                            .noneMatch(name -> name.contains("gate_up")))
                    .findFirst()
                    .orElseThrow();
        }

        @Override
        protected boolean isOptional(String tensor) {
            return tensor.equals("output.weight") || tensor.contains("exp_probs_b");
        }

        /** One row of keys is for all heads; its lengths have keys of their own. */
        @Override
        protected Set<String> otherKeys() {
            return Set.of("attention.head_count_kv", "attention.value_length");
        }

        @Override
        protected List<String> ownKeys() {
            return List.of(
                    "attention.kv_lora_rank",
                    "attention.q_lora_rank",
                    "expert_count",
                    "expert_used_count",
                    "expert_shared_count",
                    "expert_feed_forward_length");
        }

        @Override
        protected List<SenselessNumber> ownSenselessNumbers() {
            return List.of(
                    new SenselessNumber("attention.kv_lora_rank", 0, "kv_lora_rank"),
                    new SenselessNumber("attention.q_lora_rank", 0, "q_lora_rank"),
                    new SenselessNumber("attention.key_length_mla", 0, "key_length_mla"),
                    new SenselessNumber("attention.value_length_mla", 0, "value_length_mla"),
                    new SenselessNumber("rope.dimension_count", 64, "below the key length 64"),
                    new SenselessNumber("rope.scaling.factor", -2.5f, "positive"),
                    new SenselessNumber("leading_dense_block_count", -1, "from 0"),
                    new SenselessNumber("expert_group_count", 3, "a divisor of 8 experts"),
                    new SenselessNumber("expert_group_count", 8, "2 or more in a group"),
                    new SenselessNumber("expert_group_used_count", 0, "from 1 to 4 groups"),
                    new SenselessNumber("expert_group_used_count", 5, "from 1 to 4 groups"),
                    new SenselessNumber("expert_group_used_count", 1, "with 3 experts"),
                    new SenselessNumber("expert_gating_func", 4, "from 0 to 3"),
                    new SenselessNumber("expert_shared_count", 0, "expert_shared_count"),
                    new SenselessNumber("expert_shared_count", Integer.MAX_VALUE, "from 1 to"));
        }
    }

    /** Scans, and attention in the layers that have heads of keys. */
    abstract static class Hybrid extends Layout {
        Hybrid(DecoderLayout layout) {
            super(layout);
        }

        /** These models have no rotation. */
        @Override
        protected Set<String> otherKeys() {
            return Set.of("rope.dimension_count", "rope.freq_base");
        }

        @Override
        protected List<String> ownKeys() {
            return List.of(
                    "attention.head_count_kv",
                    "ssm.conv_kernel",
                    "ssm.inner_size",
                    "ssm.state_size",
                    "ssm.group_count",
                    "ssm.time_step_rank");
        }

        List<SenselessNumber> scanNumbers() {
            return List.of(
                    new SenselessNumber(
                            "attention.head_count_kv", GgufValue.ints(List.of(0, 0)), "or 6"),
                    new SenselessNumber("attention.head_count_kv", -1, "from 0"),
                    new SenselessNumber("ssm.conv_kernel", 1, "at least 2"),
                    new SenselessNumber("ssm.inner_size", 0, "ssm.inner_size"),
                    new SenselessNumber("ssm.state_size", 0, "ssm.state_size"),
                    new SenselessNumber("ssm.group_count", 0, "ssm.group_count"),
                    new SenselessNumber("ssm.group_count", 3, "a divisor of 8"),
                    new SenselessNumber("ssm.time_step_rank", 0, "ssm.time_step_rank"),
                    new SenselessNumber("ssm.time_step_rank", 7, "a divisor of"));
        }
    }

    @Nested
    class GraniteHybrid extends Hybrid {
        GraniteHybrid() {
            super(DecoderLayout.GRANITEHYBRID);
        }

        @Override
        protected List<SenselessNumber> ownSenselessNumbers() {
            return scanNumbers();
        }
    }

    @Nested
    class NemotronHMoe extends Hybrid {
        NemotronHMoe() {
            super(DecoderLayout.NEMOTRON_H_MOE);
        }

        @Override
        protected boolean isOptional(String tensor) {
            return tensor.equals("output.weight");
        }

        /** The epsilon has another key beside it. */
        @Override
        protected Set<String> otherKeys() {
            return Set.of(
                    "rope.dimension_count", "rope.freq_base", "attention.layer_norm_rms_epsilon");
        }

        @Override
        protected List<SenselessNumber> ownSenselessNumbers() {
            return scanNumbers();
        }
    }

    @Nested
    class Gemma3 extends Layout {
        Gemma3() {
            super(DecoderLayout.GEMMA3);
        }

        @Override
        protected List<SenselessNumber> ownSenselessNumbers() {
            return List.of(
                    new SenselessNumber("feed_forward_length", 0, "feed_forward_length"),
                    new SenselessNumber("attention.sliding_window", -1, "from 0"),
                    new SenselessNumber("attention.sliding_window_pattern", 0, "pattern"),
                    new SenselessNumber("rope.freq_base_swa", -1f, "positive"),
                    new SenselessNumber("rope.scaling.factor", -8f, "positive"));
        }
    }
}
