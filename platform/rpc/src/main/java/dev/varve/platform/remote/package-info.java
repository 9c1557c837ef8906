/**
 * Shards in other processes: the messages between a server and a shard process, the process that
 * computes, and the server's side, which starts the process, detects its end and restarts it.
 *
 * <ul>
 *   <li>{@link RemoteShard}, {@link RemoteDraft}, {@link RemoteTextScorer}, {@link RemoteDevices}:
 *       the server's side, with {@link ShardSupervisor} and {@link ShardLink} for the process;
 *   <li>{@link ShardServer}, {@link ShardSession}, {@link HostedShard}, {@link HostedDraft}, {@link
 *       HostedTextScorer}: the shard process's side;
 *   <li>{@link MessageType}, {@code ...Codec}, {@link ShardLoadRequest}, {@link DraftLoadRequest},
 *       {@link TextScorerLoadRequest}: messages, which both sides encode and decode;
 *   <li>{@link ModelDigest}, {@link TensorCheck}, {@link LoadedTensorDigests}: checks that both
 *       sides have the same model.
 * </ul>
 *
 * <p>They are one package because both sides use the same codecs: the writer and the reader of a
 * message stand next to each other, are tested against each other, and are not visible to code that
 * is no end of a connection. Subpackages for the sides would make all codecs public.
 */
package dev.varve.platform.remote;
