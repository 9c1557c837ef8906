/**
 * The engine: admits requests, decodes several sequences together and reports tokens. It works on
 * token ids; text belongs to its callers. Package {@code dev.varve.platform.sequence} manages the
 * sequences in the caches. Start with {@link Engine}.
 *
 * <ul>
 *   <li>{@link GenerationRequest}, {@link GenerationListener}, {@link GenerationEnd}, {@link
 *       EngineOptions}, {@link EngineStatus}: the public interface;
 *   <li>{@link EngineCore}, {@link StepRunner}: the implementation of {@link Engine} and its steps;
 *   <li>{@link Request}, {@link RequestQueue}, {@link RunningRequests}, {@link RequestFailover}:
 *       the state of requests, from the queue to their end or their move to another engine;
 *   <li>{@link PrefillScheduler}, {@link DecodeScheduler}, {@link TokenSelector}, {@link
 *       InFlightBatches}: the content of a batch and the use of its result;
 *   <li>{@link DraftProposer}, {@link DraftTokens}: draft tokens;
 *   <li>{@link ShardPipeline} and {@link PipelineStage}: batches on their way through the shards.
 * </ul>
 *
 * <p>They are one package because the scheduler, the queue, the steps and speculative decoding all
 * read and change {@link Request}, whose state belongs to the engine's thread: its members are
 * package-private, so that no other code calls them from another thread.
 */
package dev.varve.platform.engine;
