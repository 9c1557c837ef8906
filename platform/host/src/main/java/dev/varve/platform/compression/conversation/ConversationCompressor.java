package dev.varve.platform.compression.conversation;

import dev.varve.api.VarveException;
import dev.varve.platform.compression.AdaptiveSessions;
import dev.varve.platform.compression.CompressedMessageCache;
import dev.varve.platform.compression.CompressedText;
import dev.varve.platform.compression.CompressionDecision;
import dev.varve.platform.compression.CompressionFingerprint;
import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.compression.CompressionTimes;
import dev.varve.platform.compression.MessageCompressionPlan;
import dev.varve.platform.compression.MessageKey;
import dev.varve.platform.compression.PrefillDrafter;
import dev.varve.platform.compression.PromptMessage;
import dev.varve.platform.compression.TextCompressor;
import dev.varve.platform.compression.selection.CharRange;
import dev.varve.platform.compression.selection.KeepRatio;
import dev.varve.platform.template.RenderedPrompt;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Shortens long conversations by dropping parts of their messages' texts. System prompts, declared
 * tools, tool calls, template markup and the last question stay as they are. A compressed message
 * has the same text in all later turns, so its cached prefix stays usable. Thread-safe.
 */
public final class ConversationCompressor {
    /** A last message of more drafter tokens counts as a text with a question at its end. */
    static final int LONGEST_QUESTION = 1000;

    /** Tokens at the end of such a message that are kept: the question. */
    static final int QUESTION = 256;

    /** Shorter messages are not cached. */
    private static final int LEAST_CHARS = 256;

    /** Memory of each of the two caches of compressed texts. */
    private static final long CACHE_BYTES = 32L << 20;

    private static final System.Logger LOG =
            System.getLogger(ConversationCompressor.class.getName());

    private static final String SYSTEM = "system";
    private static final String USER = "user";
    private static final String ASSISTANT = "assistant";

    private final ConversationCompressionSettings options;
    private final TextCompressor compressor;
    private final PrefillDrafter drafter;
    private final CompressedMessageCache known;
    private final CompressedPromptCache cuts;
    private final AdaptiveSessions sessions = new AdaptiveSessions();

    /**
     * A conversation.
     *
     * @param messages in the form that the template expects
     * @param render renders messages with the template
     * @param count counts the model's tokens of that prompt
     */
    public record Conversation(
            List<Map<String, Object>> messages,
            Function<List<Map<String, Object>>, RenderedPrompt> render,
            ToIntFunction<List<Map<String, Object>>> count) {
        /** Returns the conversation's first messages. */
        private Conversation until(int end) {
            return new Conversation(messages.subList(0, end), render, count);
        }

        private List<PromptMessage> asMessages() {
            return messages.stream().map(PromptMessage::new).toList();
        }
    }

    /** Creates a compressor with a drafter, which it does not own. */
    public ConversationCompressor(PrefillDrafter drafter, ConversationCompressionSettings options) {
        this.drafter = drafter;
        this.options = options;
        compressor = new TextCompressor(drafter, options.selection());
        known = new CompressedMessageCache(CACHE_BYTES);
        cuts = new CompressedPromptCache(CACHE_BYTES);
    }

    /** Returns its options. */
    public ConversationCompressionSettings options() {
        return options;
    }

    /** Returns the number of the drafter's tokens of a text. */
    public int tokens(String text) {
        return compressor.encode(text).length;
    }

    /** Whether prompts of a request may be compressed at all. */
    public boolean mayCompress(CompressionOverrides overrides) {
        return mode(overrides) != CompressionMode.OFF
                && overrides.keep().filter(KeepRatio::isAll).isEmpty();
    }

    /**
     * Updates the adaptive ratio after a response, by its accepted draft tokens. Does nothing if it
     * had no draft tokens or its request named no conversation.
     */
    public void finished(CompressionOverrides overrides, int guessed, int right) {
        if (guessed > 0) {
            learning(overrides)
                    .ifPresent(session -> sessions.finished(session, (double) right / guessed));
        }
    }

    /** Returns the keep ratio for a whole prompt. */
    private KeepRatio keep(CompressionOverrides overrides, int tokens) {
        return overrides
                .keep()
                .or(() -> learning(overrides).map(session -> sessions.find(session).keep()))
                .orElseGet(() -> options.keep().at(tokens));
    }

    private Optional<String> learning(CompressionOverrides overrides) {
        return overrides.session().filter(session -> options.adaptive());
    }

    private CompressionMode mode(CompressionOverrides overrides) {
        return overrides.mode().orElse(options.mode());
    }

    /**
     * Compresses a conversation.
     *
     * @param cancelled whether the caller cancelled
     * @return empty if it stays as it is
     * @throws dev.varve.api.VarveException if the drafter cannot read it
     * @throws java.util.concurrent.CancellationException if the caller cancelled
     */
    public Optional<CompressedConversation> compress(
            Conversation conversation, CompressionOverrides overrides, BooleanSupplier cancelled) {
        if (!mayCompress(overrides)) {
            return Optional.empty();
        }
        int tokens = conversation.count().applyAsInt(conversation.messages());
        KeepRatio keep = keep(overrides, tokens);
        if (keep.isAll()) {
            return Optional.empty();
        }
        CompressionFingerprint fingerprint = fingerprint(overrides);
        List<PromptMessage> messages = conversation.asMessages();
        CompressionDecision treatment =
                options.treatment(mode(overrides), tokens, PromptMessage.isContinuation(messages));
        Job job = new Job(keep, fingerprint, cancelled);
        return switch (treatment) {
            case WHOLE -> {
                Optional<Map<Integer, String>> again = cuts.find(messages, fingerprint);
                yield again.isPresent()
                        ? job.earlier(messages, again.get())
                        : job.whole(messages, conversation.render());
            }
            case BY_MESSAGE -> job.byMessage(messages, overrides);
            default -> {
                Optional<Map<Integer, String>> before = cuts.findEarlier(messages, fingerprint);
                if (before.isPresent()) {
                    yield job.earlier(messages, before.get());
                }
                yield treatment == CompressionDecision.VERBATIM
                        ? Optional.empty()
                        : job.firstTurn(conversation, overrides);
            }
        };
    }

    /**
     * Returns the fingerprint that all requests with the same settings share. An adaptive ratio
     * changes from turn to turn, but cached texts stay valid.
     */
    private CompressionFingerprint fingerprint(CompressionOverrides overrides) {
        Optional<Object> learnt = learning(overrides).map(session -> "learnt");
        return CompressionFingerprint.of(
                List.of(
                        drafter.identity(),
                        overrides
                                .keep()
                                .<Object>map(keep -> keep)
                                .or(() -> learnt)
                                .orElse(options.keep()),
                        options.selection()));
    }

    private static boolean mayShrink(PromptMessage message) {
        return !message.role().equals(SYSTEM) && message.text().length() >= LEAST_CHARS;
    }

    private MessageKey key(PromptMessage message, CompressionFingerprint fingerprint) {
        return MessageKey.of(fingerprint, compressor.encode(message.text()));
    }

    /** Compression of one conversation. */
    private final class Job {
        private final KeepRatio keep;
        private final CompressionFingerprint fingerprint;
        private final BooleanSupplier cancelled;

        Job(KeepRatio keep, CompressionFingerprint fingerprint, BooleanSupplier cancelled) {
            this.keep = keep;
            this.fingerprint = fingerprint;
            this.cancelled = cancelled;
        }

        /** Returns the result of an earlier turn, or of an identical earlier request. */
        Optional<CompressedConversation> earlier(
                List<PromptMessage> messages, Map<Integer, String> texts) {
            if (texts.isEmpty()) {
                return Optional.empty();
            }
            return Optional.of(
                    shortened(
                            replaced(messages, texts),
                            CompressionReport.Mode.EARLIER,
                            texts.size(),
                            CompressionTimes.NONE,
                            Optional.empty()));
        }

        /**
         * Compresses the first turn again, as it would have been compressed then, when no result is
         * cached: after a restart, a conversation continues with the same prompt.
         */
        Optional<CompressedConversation> firstTurn(
                Conversation conversation, CompressionOverrides overrides) {
            List<PromptMessage> messages = conversation.asMessages();
            int end = 0;
            while (end < messages.size() && !messages.get(end).role().equals(ASSISTANT)) {
                end++;
            }
            // Without a question it was no turn: the model wrote first.
            if (end == messages.size() || lastUser(messages.subList(0, end)) < 0) {
                return Optional.empty();
            }
            Optional<CompressedConversation> first =
                    compress(conversation.until(end), overrides, cancelled);
            return first.map(
                    shorter -> {
                        List<Map<String, Object>> all = new ArrayList<>(shorter.messages());
                        all.addAll(conversation.messages().subList(all.size(), messages.size()));
                        return shorter.with(all);
                    });
        }

        private CompressedConversation shortened(
                List<PromptMessage> messages,
                CompressionReport.Mode mode,
                int replaced,
                CompressionTimes times,
                Optional<CompressedText> whole) {
            return new CompressedConversation(
                    messages.stream().map(PromptMessage::fields).toList(),
                    mode,
                    keep.value(),
                    replaced,
                    times,
                    fingerprint,
                    whole);
        }

        /** Renders the prompt as for the target, or with markup that the drafter knows. */
        private RenderedPrompt asRead(
                List<Map<String, Object>> messages,
                Function<List<Map<String, Object>>, RenderedPrompt> render) {
            RenderedPrompt prompt = render.apply(messages);
            return !ChatMlRenderer.isIn(prompt) && ChatMlRenderer.isKnownTo(drafter.tokenizer())
                    ? ChatMlRenderer.render(messages)
                    : prompt;
        }

        /** Compresses all messages together, scored by the end of the whole prompt. */
        Optional<CompressedConversation> whole(
                List<PromptMessage> messages,
                Function<List<Map<String, Object>>, RenderedPrompt> render) {
            MessageTextLocator found =
                    new MessageTextLocator(
                            asRead(messages.stream().map(PromptMessage::fields).toList(), render));
            Map<Integer, CharRange> bodies = bodies(messages, found);
            if (bodies.isEmpty()) {
                return Optional.empty();
            }
            int last = lastUser(messages);
            List<TextCompressor.CompressibleRange> parts = new ArrayList<>();
            bodies.forEach(
                    (i, range) ->
                            parts.add(
                                    new TextCompressor.CompressibleRange(
                                            range, i == last ? QUESTION : 0)));
            CompressedText left = compressor.compress(found.text(), parts, keep, cancelled);
            if (left.selection().isWhole()) {
                cuts.put(messages, fingerprint, Map.of());
                return Optional.empty();
            }
            Map<Integer, String> texts = new TreeMap<>();
            bodies.forEach(
                    (i, range) -> {
                        String text = left.keptOf(range);
                        if (text.length() < range.end() - range.begin()) {
                            texts.put(i, text);
                        }
                    });
            cuts.put(messages, fingerprint, texts);
            return Optional.of(
                    shortened(
                            replaced(messages, texts),
                            CompressionReport.Mode.WHOLE,
                            0,
                            left.times(),
                            Optional.of(left)));
        }

        private static List<PromptMessage> replaced(
                List<PromptMessage> messages, Map<Integer, String> texts) {
            List<PromptMessage> shorter = new ArrayList<>(messages);
            texts.forEach((i, text) -> shorter.set(i, messages.get(i).withText(text)));
            return shorter;
        }

        /** Returns the compressible texts and their places. */
        private Map<Integer, CharRange> bodies(
                List<PromptMessage> messages, MessageTextLocator texts) {
            Map<Integer, CharRange> bodies = texts.find(messages);
            int last = lastUser(messages);
            bodies.keySet()
                    .removeIf(
                            i ->
                                    !mayShrink(messages.get(i))
                                            || i == last && isQuestion(messages.get(i)));
            return bodies;
        }

        private boolean isQuestion(PromptMessage message) {
            return compressor.encode(message.text()).length <= LONGEST_QUESTION;
        }

        private int lastUser(List<PromptMessage> messages) {
            int last = -1;
            for (int i = 0; i < messages.size(); i++) {
                last = messages.get(i).role().equals(USER) ? i : last;
            }
            return last;
        }

        /** Compresses old messages one by one, each scored by its own end. */
        Optional<CompressedConversation> byMessage(
                List<PromptMessage> messages, CompressionOverrides overrides) {
            int[] tokens =
                    messages.stream()
                            .mapToInt(message -> compressor.encode(message.text()).length)
                            .toArray();
            MessageCompressionPlan plan =
                    MessageCompressionPlan.of(messages, tokens, options.flow());
            if (plan.isEmpty()) {
                return Optional.empty();
            }
            Map<PromptMessage, CompressionTimes> times = new HashMap<>();
            List<PromptMessage> shorter =
                    plan.apply(messages, message -> text(message, overrides, times));
            CompressionTimes all =
                    times.values().stream().reduce(CompressionTimes.NONE, CompressionTimes::plus);
            return Optional.of(
                    shortened(
                            shorter,
                            CompressionReport.Mode.BY_MESSAGE,
                            plan.shrinking().size() - times.size(),
                            all,
                            Optional.empty()));
        }

        private Optional<String> text(
                PromptMessage message,
                CompressionOverrides overrides,
                Map<PromptMessage, CompressionTimes> times) {
            MessageKey key = key(message, fingerprint);
            Optional<String> before = known.find(key);
            if (before.isPresent()) {
                return before;
            }
            String text = message.text();
            KeepRatio part =
                    overrides
                            .keep()
                            .orElseGet(() -> options.keep().at(compressor.encode(text).length));
            CompressedText left;
            try {
                left =
                        compressor.compress(
                                text,
                                List.of(
                                        new TextCompressor.CompressibleRange(
                                                new CharRange(0, text.length()), 0)),
                                part,
                                cancelled);
            } catch (VarveException e) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "a message is not compressed: " + e.getMessage());
                return Optional.empty();
            }
            times.put(message, left.times());
            return Optional.of(known.put(key, left.keptOf(new CharRange(0, text.length()))));
        }
    }
}
