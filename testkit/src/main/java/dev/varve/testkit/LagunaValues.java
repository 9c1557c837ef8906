package dev.varve.testkit;

/** The values of a {@link LagunaModel}, those of its vocabulary excepted. */
record LagunaValues(LagunaModel model) {
    void addTo(GgufWriter writer) {
        GgufValue heads =
                model.attention().heads().size() == 1
                        ? GgufValue.of(model.attention().heads().getFirst())
                        : GgufValue.ints(model.attention().heads());
        writer.put("general.architecture", GgufValue.of("laguna"))
                .put("general.name", GgufValue.of("Random laguna, seed " + model.weights().seed()))
                .put("laguna.block_count", GgufValue.of(model.size().layers()))
                .put("laguna.context_length", GgufValue.of(model.size().context()))
                .put("laguna.embedding_length", GgufValue.of(model.size().embedding()))
                .put("laguna.feed_forward_length", GgufValue.of(model.size().feedForward()))
                .put("laguna.leading_dense_block_count", GgufValue.of(model.leadingDense()))
                .put("laguna.attention.head_count", heads)
                .put("laguna.attention.head_count_kv", GgufValue.of(model.attention().kvHeads()))
                .put("laguna.attention.key_length", GgufValue.of(model.attention().headDim()))
                .put("laguna.attention.value_length", GgufValue.of(model.attention().headDim()))
                .put("laguna.attention.layer_norm_rms_epsilon", GgufValue.of(1e-6f));
        describeWindow(writer);
        describeRope(writer);
        describeExperts(writer);
    }

    private void describeWindow(GgufWriter writer) {
        if (model.window().tokens() == 0) {
            return;
        }
        writer.put("laguna.attention.sliding_window", GgufValue.of(model.window().tokens()));
        String key = "laguna.attention.sliding_window_pattern";
        switch (model.window().pattern()) {
            case LagunaModel.Pattern.Standard() -> {}
            case LagunaModel.Pattern.Period(int layers) -> writer.put(key, GgufValue.of(layers));
            case LagunaModel.Pattern.Flags(var windowed) ->
                    writer.put(key, GgufValue.booleans(windowed));
        }
    }

    private void describeRope(GgufWriter writer) {
        writer.put("laguna.rope.dimension_count", GgufValue.of(model.rope().dims()))
                .put("laguna.rope.freq_base", GgufValue.of(model.rope().base()));
        model.rope()
                .windowDims()
                .ifPresent(
                        dims -> writer.put("laguna.rope.dimension_count_swa", GgufValue.of(dims)));
        model.rope()
                .windowBase()
                .ifPresent(
                        base ->
                                writer.put(
                                        "laguna.rope.freq_base_swa", GgufValue.of((float) base)));
        model.rope().yarn().ifPresent(yarn -> describeYarn(writer, yarn));
    }

    private static void describeYarn(GgufWriter writer, LagunaModel.Yarn yarn) {
        String prefix = "laguna.rope.scaling.";
        writer.put(prefix + "type", GgufValue.of("yarn"))
                .put(prefix + "factor", GgufValue.of(yarn.factor()))
                .put(prefix + "original_context_length", GgufValue.of(yarn.originalContext()));
        yarn.betaFast()
                .ifPresent(
                        beta ->
                                writer.put(prefix + "yarn_beta_fast", GgufValue.of((float) beta))
                                        .put(prefix + "yarn_beta_slow", GgufValue.of(1f)));
    }

    private void describeExperts(GgufWriter writer) {
        String prefix = "laguna.expert_";
        writer.put(prefix + "count", GgufValue.of(model.experts().count()))
                .put(prefix + "used_count", GgufValue.of(model.experts().used()))
                .put(prefix + "feed_forward_length", GgufValue.of(model.experts().feedForward()))
                .put(prefix + "weights_norm", GgufValue.of(model.experts().normalised()));
        model.experts()
                .scale()
                .ifPresent(
                        scale -> writer.put(prefix + "weights_scale", GgufValue.of((float) scale)));
        if (model.experts().sharedFeedForward() != model.experts().feedForward()) {
            writer.put(
                    prefix + "shared_feed_forward_length",
                    GgufValue.of(model.experts().sharedFeedForward()));
        }
        if (model.experts().gating() != LagunaModel.Gating.ABSENT) {
            writer.put(prefix + "gating_func", GgufValue.of(model.experts().gating().id()));
        }
    }
}
