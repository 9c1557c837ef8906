package dev.varve.conformance;

import dev.varve.api.ggml.GgmlType;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.testkit.TensorType;

import java.nio.file.Path;
import java.util.Optional;

/** A random model whose sequences get longer than their pools. */
record PagedModel(Path file, RandomModel spec, ModelSettings settings) {
    static final int CONTEXT = 2048;

    /** The smallest valid pool. */
    static final int POOL = 512;

    static final int ANSWER = 90;

    static PagedModel of(
            Family family, TensorType weights, GgmlType cache, int parallel, Path folder)
            throws Exception {
        return of(family.wide(weights), cache, parallel, folder);
    }

    static PagedModel of(RandomModel spec, GgmlType cache, int parallel, Path folder)
            throws Exception {
        ModelSettings settings = Cpu.settings(CONTEXT, parallel, new CacheTypes(cache, cache));
        return new PagedModel(
                spec.write(folder),
                spec,
                settings.with(settings.computation().with(BatchInvariance.ON)));
    }

    ModelSettings pooled(int pool, PagePolicy policy) {
        return settings.withPool(
                Optional.of(
                        new RequestedPaging(
                                new RequestedPaging.Size.Fixed(pool), Optional.of(policy), 16)));
    }

    LoadedModel load(ModelSettings how, int... cuts) {
        return Cpu.load(file, how, helped(how, LoadedModel.EngineComponents.NONE), cuts);
    }

    /** Adds a page scorer if the policy chooses pages by a drafter. */
    static LoadedModel.EngineComponents helped(
            ModelSettings how, LoadedModel.EngineComponents others) {
        return how.pool()
                .filter(pool -> pool.chosenPolicy() == PagePolicy.DRAFTER)
                .map(pool -> others.with(new HashedPages()))
                .orElse(others);
    }

    int[] tokens(int count, long seed) {
        return spec.tokens(count, seed);
    }

    /** Returns the answer of a fresh model to a prompt alone. */
    int[] alone(ModelSettings how, int[] prompt) throws Exception {
        try (LoadedModel model = load(how)) {
            return Answer.ask(model.engine(), prompt, ANSWER).tokens();
        }
    }

    /** Returns the paging figures of an answer. */
    static GenerationEnd.Paging paging(Answer answer) throws Exception {
        return answer.end().paging().orElseThrow();
    }
}
