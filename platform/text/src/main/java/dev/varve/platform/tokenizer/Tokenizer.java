package dev.varve.platform.tokenizer;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufMetadata;
import dev.varve.api.model.PreTokenizer;
import dev.varve.platform.tokenizer.SpecialTokenMatcher.Match;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The tokenizer of a model, created from its file. Immutable and safe for many threads, apart from
 * a cache of words.
 *
 * <p>No method adds bos or eos tokens: the caller checks {@link #addsBos} and whether its prompt
 * begins with one. Text is never normalised; an unpaired surrogate becomes U+FFFD.
 */
public final class Tokenizer {
    private final SymbolTable symbols;
    private final MergeAlgorithm algorithm;
    private final TokenBytes pieces;
    private final SpecialTokens specials;
    private final SwallowedSpace swallowedSpace;
    private final OptionalInt bosId;
    private final OptionalInt eosId;
    private final Set<Integer> endTokens;
    private final Optional<InfillTokens> infillTokens;
    private final boolean addsBos;
    private final int[] suppressed;
    private final TextFrame frame;

    /** Bytes of the longest token; empty where bytes of a text may have no token at all. */
    private final OptionalInt longestToken;

    /**
     * @param named ids that the file gives to keys, for tokens that few models have
     * @param frames tokens around texts, by whether they begin with bos
     */
    private Tokenizer(
            VocabularyData read,
            PreTokenizers preTokenizers,
            Function<String, OptionalInt> named,
            Function<Boolean, TextFrame> frames) {
        symbols = new SymbolTable(read.tokens().length);
        for (byte[] text : read.tokens()) {
            symbols.add(text, 0, text.length);
        }
        VocabularyData vocabulary = VisibleTokens.mark(read, symbols);
        algorithm = MergeAlgorithm.of(vocabulary, symbols, preTokenizers);
        pieces = TokenBytes.of(vocabulary, algorithm);
        specials = new SpecialTokens(vocabulary);
        swallowedSpace = SwallowedSpace.of(vocabulary);
        bosId = vocabulary.ids().bos();
        eosId = vocabulary.ids().eos();
        endTokens = EndTokens.of(vocabulary, symbols);
        infillTokens = InfillTokens.find(named, this::specialToken);
        addsBos = bosId.isPresent() && algorithm.addsBos(vocabulary.rules().addsBos());
        frame = frames.apply(addsBos);
        suppressed = vocabulary.suppressed().clone();
        longestToken =
                algorithm.coversAllBytes() && swallowedSpace.isNone()
                        ? IntStream.range(0, pieces.size()).map(id -> pieces.length(id, true)).max()
                        : OptionalInt.empty();
    }

    /**
     * Creates the tokenizer of a model file. Takes a fraction of a second for a quarter of a
     * million tokens.
     *
     * @param preTokenizers those of the model's family, by name; they take precedence over the
     *     platform's
     * @throws dev.varve.api.VarveException of kind {@code UNSUPPORTED_MODEL} if the file names an
     *     unknown algorithm or pre-tokenizer; {@code CORRUPT_FILE} if its vocabulary is
     *     inconsistent
     */
    public static Tokenizer of(GgufMetadata metadata, Map<String, PreTokenizer> preTokenizers) {
        VocabularyData vocabulary = GgufVocabulary.read(metadata);
        return new Tokenizer(
                vocabulary,
                PreTokenizers.with(preTokenizers),
                key -> GgufVocabulary.optionalId(metadata, key, vocabulary.tokens().length),
                addsBos -> GgufVocabulary.frame(metadata, vocabulary, addsBos));
    }

    /** As {@link #of(GgufMetadata, Map)}, with errors that name the file. */
    public static Tokenizer of(GgufFile file, Map<String, PreTokenizer> preTokenizers) {
        try {
            return of(file.metadata(), preTokenizers);
        } catch (VarveException e) {
            String name = file.path().getFileName() + ": ";
            if (e.getMessage().startsWith(name)) {
                throw e;
            }
            throw new VarveException(e.kind(), name + e.getMessage(), e);
        }
    }

    /** As {@link #of(GgufMetadata, Map)}, for a family without pre-tokenizers. */
    public static Tokenizer of(GgufMetadata metadata) {
        return of(metadata, Map.of());
    }

    static Tokenizer of(VocabularyData vocabulary) {
        return of(vocabulary, PreTokenizers.PLATFORM);
    }

    static Tokenizer of(VocabularyData vocabulary, PreTokenizers preTokenizers) {
        return new Tokenizer(
                vocabulary, preTokenizers, key -> OptionalInt.empty(), addsBos -> TextFrame.NONE);
    }

    /**
     * Tokenizes a text of one origin. User-defined tokens spelled in it are always recognised.
     *
     * @param parseSpecial whether control tokens spelled in the text are recognised too; only for
     *     text that no user wrote, see {@link #encodeSpans}
     */
    public int[] encode(String text, boolean parseSpecial) {
        return encode(text, parseSpecial, TokenLimit.NONE);
    }

    /**
     * As {@link #encode(String, boolean)}, and stops when a limit is exceeded.
     *
     * @throws TooManyTokensException if the text has more tokens than the limit
     * @throws dev.varve.api.VarveException of kind {@code INVALID_REQUEST} if a word is longer than
     *     the limit
     */
    public int[] encode(String text, boolean parseSpecial, TokenLimit limit) {
        return encode(text, parseSpecial, algorithm, limit);
    }

    private int[] encode(
            String text, boolean parseSpecial, MergeAlgorithm first, TokenLimit limit) {
        checkLength(text.length(), limit);
        byte[] bytes = Utf8.encode(text);
        List<Match> matches = specials.find(bytes, parseSpecial, limit.tokens());
        return encode(bytes, matches, first, limit);
    }

    /**
     * Tokenizes text that continues other text: without the space that SentencePiece puts before a
     * text, and otherwise as {@link #encode(String, boolean)}. The tokens may still differ from
     * those of the whole text, if a word crosses the border.
     */
    public int[] encodeContinuation(String text, boolean parseSpecial) {
        return encodeContinuation(text, parseSpecial, TokenLimit.NONE);
    }

    /**
     * As {@link #encodeContinuation(String, boolean)}, and stops when a limit is exceeded.
     *
     * @throws TooManyTokensException if the text has more tokens than the limit
     * @throws dev.varve.api.VarveException of kind {@code INVALID_REQUEST} if a word is longer than
     *     the limit
     */
    public int[] encodeContinuation(String text, boolean parseSpecial, TokenLimit limit) {
        return encode(text, parseSpecial, algorithm.continuing(), limit);
    }

    /**
     * Tokenizes a prompt whose parts have different origins, as one text: a word that crosses a
     * border is one word, so a prompt without special spellings in its untrusted parts has the ids
     * of {@code encode(wholeText, true)}.
     *
     * <p>In trusted text control and user-defined tokens are recognised. In untrusted text neither
     * are, nor is a spelling that is complete only together with untrusted text: a user's text
     * cannot open or close a turn, a reasoning block or a tool call. User-defined tokens of white
     * space alone, such as indentation, are recognised everywhere.
     */
    public int[] encodeSpans(List<TextSpan> spans) {
        return encodeSpans(spans, TokenLimit.NONE);
    }

    /**
     * As {@link #encodeSpans(List)}, and stops when a limit is exceeded.
     *
     * @throws TooManyTokensException if the text has more tokens than the limit
     * @throws dev.varve.api.VarveException of kind {@code INVALID_REQUEST} if a word is longer than
     *     the limit
     */
    public int[] encodeSpans(List<TextSpan> spans, TokenLimit limit) {
        checkLength(spans.stream().mapToLong(span -> span.text().length()).sum(), limit);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        List<TextSpan> runs = SpanMerger.of(spans);
        int[] borders = new int[runs.size() + 1];
        for (int run = 0; run < runs.size(); run++) {
            text.writeBytes(Utf8.encode(runs.get(run).text()));
            borders[run + 1] = text.size();
        }
        byte[] bytes = text.toByteArray();
        List<Match> matches = specials.find(bytes, borders, runs, limit.tokens());
        return encode(bytes, matches, algorithm, limit);
    }

    /** Rejects a text whose length alone proves that it has too many tokens. */
    private void checkLength(long chars, TokenLimit limit) {
        if (longestToken.isPresent()
                && chars / Math.max(1, longestToken.getAsInt()) > limit.tokens()) {
            throw new TooManyTokensException(limit.tokens());
        }
    }

    /**
     * @param first for the text before the first special token
     */
    private int[] encode(byte[] text, List<Match> matches, MergeAlgorithm first, TokenLimit limit) {
        IntList ids = new IntList(limit.tokens());
        MergeLoop loop = new MergeLoop(limit.wordSymbols());
        MergeAlgorithm next = first;
        int at = 0;
        for (int index = 0; index < matches.size(); index++) {
            Match match = matches.get(index);
            next.encode(text, at, match.from(), loop, ids);
            ids.add(match.id());
            next = algorithm;
            int end = index + 1 < matches.size() ? matches.get(index + 1).from() : text.length;
            at = swallowedSpace.end(match.id(), text, match.to(), end);
        }
        next.encode(text, at, text.length, loop, ids);
        return ids.toArray();
    }

    /**
     * The text of tokens from anywhere in a sequence; control tokens have none. Bytes that are no
     * UTF-8 become U+FFFD, one for each maximal subpart.
     */
    public String decode(int[] ids) {
        return decode(ids, false);
    }

    /**
     * The text of tokens.
     *
     * @param renderSpecial whether control tokens are spelled out
     * @throws IllegalArgumentException if the vocabulary lacks one of the ids
     */
    public String decode(int[] ids, boolean renderSpecial) {
        int length = Math.toIntExact(textBytes(ids, renderSpecial));
        byte[] bytes = new byte[length];
        int end = 0;
        for (int id : ids) {
            end = pieces.copy(id, renderSpecial, bytes, end);
        }
        return Utf8.decode(bytes, 0, length);
    }

    /**
     * The text of a whole sequence: as {@link #decode(int[], boolean)}, without the space that
     * SentencePiece puts before a text.
     */
    public String decodeSequence(int[] ids, boolean renderSpecial) {
        String text = decode(ids, renderSpecial);
        return beginsWithSpacePrefix(ids, renderSpecial) ? text.substring(1) : text;
    }

    private boolean beginsWithSpacePrefix(int[] ids, boolean renderSpecial) {
        if (!algorithm.addsSpacePrefix()) {
            return false;
        }
        int first = 0;
        while (first < ids.length && pieces.length(ids[first], renderSpecial) == 0) {
            first++;
        }
        return first < ids.length
                && !isSpecial(ids[first])
                && pieces.of(ids[first], renderSpecial)[0] == ' ';
    }

    /**
     * Bytes of the text of tokens in UTF-8; each invalid byte of theirs counts as one.
     *
     * @param renderSpecial whether control tokens are spelled out
     * @throws IllegalArgumentException if the vocabulary lacks one of the ids
     */
    public long textBytes(int[] ids, boolean renderSpecial) {
        long bytes = 0;
        for (int id : ids) {
            bytes += pieces.length(id, renderSpecial);
        }
        return bytes;
    }

    /** A decoder for one stream of tokens; control tokens have no text. */
    public Detokenizer detokenizer() {
        return detokenizer(false);
    }

    /** A decoder for one stream of tokens that may spell out control tokens. */
    public Detokenizer detokenizer(boolean renderSpecial) {
        return new Detokenizer(pieces, renderSpecial);
    }

    /** The bytes of a token, not always whole characters; none for control tokens. */
    public byte[] piece(int id) {
        return pieces.of(id, false);
    }

    /**
     * The bytes of a token, not always whole characters.
     *
     * @throws IllegalArgumentException if the vocabulary has no such id
     */
    public byte[] piece(int id, boolean renderSpecial) {
        return pieces.of(id, renderSpecial);
    }

    /**
     * The token with exactly this text, in the spelling of the file: {@code "<|im_end|>"}, or
     * {@code "Ġthe"}.
     */
    public OptionalInt tokenId(String text) {
        int id = symbols.find(Utf8.encode(text));
        return id >= 0 && id < vocabularySize() ? OptionalInt.of(id) : OptionalInt.empty();
    }

    /** Returns whether the token is a control or user-defined one. */
    public boolean isSpecial(int id) {
        TokenType type = pieces.type(id);
        return type == TokenType.CONTROL || type == TokenType.USER_DEFINED;
    }

    /** Returns whether a prompt must begin with {@link #bosId}, which is present then. */
    public boolean addsBos() {
        return addsBos;
    }

    /** The token that begins a text, if the file names one. */
    public OptionalInt bosId() {
        return bosId;
    }

    /** The token that ends a text, if the file names one. */
    public OptionalInt eosId() {
        return eosId;
    }

    /** The tokens around texts of which a model computes vectors or scores. */
    public TextFrame frame() {
        return frame;
    }

    /** The tokens that end a turn. They count as generated and are not part of the text. */
    public Set<Integer> endTokens() {
        return endTokens;
    }

    /** The tokens to fill in the middle of a text, if the model was trained for it. */
    public Optional<InfillTokens> infillTokens() {
        return infillTokens;
    }

    private OptionalInt specialToken(String text) {
        OptionalInt id = tokenId(text);
        return id.isPresent() && isSpecial(id.getAsInt()) ? id : OptionalInt.empty();
    }

    /** The tokens that must never be sampled. */
    public int[] suppressedTokens() {
        return suppressed.clone();
    }

    /** Number of tokens; ids are below it. A model may have more logits, which have no meaning. */
    public int vocabularySize() {
        return pieces.size();
    }

    /** One-line description for people. */
    public String describe() {
        return algorithm.name()
                + ", "
                + vocabularySize()
                + " tokens"
                + (addsBos ? ", prompts begin with bos" : "");
    }
}
