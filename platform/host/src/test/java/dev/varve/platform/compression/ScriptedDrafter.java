package dev.varve.platform.compression;

import dev.varve.api.VarveException;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.ToDoubleBiFunction;

/** Scores by what a test says, and counts how often it is asked. */
public final class ScriptedDrafter implements PrefillDrafter {
    private final Tokenizer tokenizer;
    private final ToDoubleBiFunction<int[], Integer> score;
    private Optional<VarveException> failure = Optional.empty();
    private int readings;

    /** Scores each token of a text by its place. */
    public ScriptedDrafter(Tokenizer tokenizer, ToDoubleBiFunction<int[], Integer> score) {
        this.tokenizer = tokenizer;
        this.score = score;
    }

    /** Finds nothing but one word worth anything. */
    public static ScriptedDrafter looksFor(String word, Tokenizer tokenizer) {
        return new ScriptedDrafter(
                tokenizer,
                (ids, at) -> {
                    int from = Math.max(0, at - word.length());
                    int to = Math.min(ids.length, at + word.length());
                    String around = tokenizer.decode(Arrays.copyOfRange(ids, from, to), true);
                    return around.contains(word) ? 1 : 0;
                });
    }

    /** From now on it cannot read anything; empty: it can again. */
    public void failWith(Optional<VarveException> other) {
        failure = other;
    }

    /** Texts that it read. */
    public int readings() {
        return readings;
    }

    @Override
    public Tokenizer tokenizer() {
        return tokenizer;
    }

    @Override
    public String identity() {
        return "scripted";
    }

    @Override
    public float[] score(int[] tokens, BooleanSupplier cancelled) {
        if (cancelled.getAsBoolean()) {
            throw new CancellationException("nobody waits");
        }
        failure.ifPresent(
                each -> {
                    throw each;
                });
        readings++;
        float[] scores = new float[tokens.length];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = (float) score.applyAsDouble(tokens, i);
        }
        return scores;
    }

    @Override
    public void close() {
        // It holds nothing.
    }
}
