/**
 * The API for Java programs that run a model themselves.
 *
 * <ul>
 *   <li>{@link Varve}: a loaded model; start with {@link Varve#open(java.nio.file.Path)};
 *   <li>{@link VarveOptions}, {@link Isolation}, {@link Reasoning}, {@link Sampling}: how it runs;
 *   <li>{@link ChatRequest}, {@link Message}, {@link Tool}, {@link ToolChoice}: what it is asked;
 *   <li>{@link ChatResponse}, {@link ToolCall}, {@link FinishReason}, {@link Usage}: what it
 *       responds, at once or, with {@link ChatListener} and {@link RunningChat}, while it is
 *       generated;
 *   <li>{@link Embedder} with {@link Embeddings}, {@link Reranker} with {@link Ranking} and {@link
 *       ScoredDocument}, {@link EncoderOptions}: vectors of texts, and scores of documents;
 *   <li>{@link RecordSchema}: JSON schemas of Java records, and records of JSON texts;
 *   <li>{@link ModelInfo}, {@link ModelLoad}: facts and the current load.
 * </ul>
 *
 * <p>All values are immutable, and {@link Varve}, {@link RunningChat}, {@link Embedder} and {@link
 * Reranker} may be used by any number of threads. Errors are {@link dev.varve.api.VarveException}s
 * with a kind.
 *
 * <p>These types keep their meaning as docs/compatibility.md describes.
 */
package dev.varve.embedded;
