/**
 * Tools that tests need and production code must not have: a GGUF writer, random models and an
 * independent oracle.
 *
 * <p>{@link dev.varve.testkit.GgufWriter} writes model files, {@link dev.varve.testkit.Qwen35Model}
 * describes random models of one family, and {@link dev.varve.testkit.Oracle} runs such a file with
 * libllama, which shares ggml with Varve but neither graph nor cache nor loader. The kit binds the
 * native libraries by itself, so that a fault in Varve's own bindings cannot hide on both sides of
 * a comparison.
 *
 * <p>The folder of the native libraries comes from the system property {@code varve.test.natives}.
 * It must be the folder that Varve uses in the same process: the dynamic loader then shares one
 * {@code libggml-base.so} between both.
 *
 * <p>A few more types than elsewhere: a random model takes up to five of them, and all share the
 * writers of tensors and vocabularies, which have no other use.
 */
package dev.varve.testkit;
