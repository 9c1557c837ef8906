package dev.varve.platform.tokenizer;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Tokens by which a model fills in the middle of a text (FIM). The file names them, or their
 * spelling is well known.
 *
 * @param prefix before the text ahead of the gap
 * @param suffix before the text behind the gap
 * @param middle after which the model generates the text of the gap
 * @param repository before the name of a repository
 * @param file before the name of a file
 * @param ends tokens that end the generated text, besides those that end a turn
 */
public record InfillTokens(
        int prefix,
        int suffix,
        int middle,
        OptionalInt repository,
        OptionalInt file,
        Set<Integer> ends) {
    private static final List<String> PREFIX =
            List.of("<|fim_prefix|>", "<fim_prefix>", "<fim-prefix>", "<｜fim▁begin｜>", "▁<PRE>");
    private static final List<String> SUFFIX =
            List.of("<|fim_suffix|>", "<fim_suffix>", "<fim-suffix>", "<｜fim▁hole｜>", "▁<SUF>");
    private static final List<String> MIDDLE =
            List.of("<|fim_middle|>", "<fim_middle>", "<fim-middle>", "<｜fim▁end｜>", "▁<MID>");
    private static final List<String> PAD = List.of("<|fim_pad|>", "<fim_pad>", "<fim-pad>");
    private static final List<String> REPOSITORY =
            List.of("<|repo_name|>", "<repo_name>", "<reponame>");
    private static final List<String> FILE =
            List.of("<|file_sep|>", "<file_sep>", "<|file_separator|>");

    /** Copies the set. */
    public InfillTokens {
        ends = Set.copyOf(ends);
    }

    /**
     * Finds the tokens of a vocabulary; empty if prefix, suffix or middle is missing.
     *
     * @param named id that the file gives to a key, such as {@code fim_pre_token_id}
     * @param spelled special token with a spelling
     */
    static Optional<InfillTokens> find(
            Function<String, OptionalInt> named, Function<String, OptionalInt> spelled) {
        Search search = new Search(named, spelled);
        OptionalInt prefix = search.id(PREFIX, "fim_pre_token_id", "prefix_token_id");
        OptionalInt suffix = search.id(SUFFIX, "fim_suf_token_id", "suffix_token_id");
        OptionalInt middle = search.id(MIDDLE, "fim_mid_token_id", "middle_token_id");
        if (prefix.isEmpty() || suffix.isEmpty() || middle.isEmpty()) {
            return Optional.empty();
        }
        OptionalInt repository = search.id(REPOSITORY, "fim_rep_token_id");
        OptionalInt file = search.id(FILE, "fim_sep_token_id");
        Set<Integer> ends = new TreeSet<>();
        search.id(PAD, "fim_pad_token_id").ifPresent(ends::add);
        repository.ifPresent(ends::add);
        file.ifPresent(ends::add);
        return Optional.of(
                new InfillTokens(
                        prefix.getAsInt(),
                        suffix.getAsInt(),
                        middle.getAsInt(),
                        repository,
                        file,
                        ends));
    }

    private record Search(
            Function<String, OptionalInt> named, Function<String, OptionalInt> spelled) {
        OptionalInt id(List<String> spellings, String... keys) {
            for (String key : keys) {
                OptionalInt id = named.apply(key);
                if (id.isPresent()) {
                    return id;
                }
            }
            for (String spelling : spellings) {
                OptionalInt id = spelled.apply(spelling);
                if (id.isPresent()) {
                    return id;
                }
            }
            return OptionalInt.empty();
        }
    }
}
