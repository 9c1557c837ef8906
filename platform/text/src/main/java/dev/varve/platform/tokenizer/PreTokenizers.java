package dev.varve.platform.tokenizer;

import static dev.varve.platform.tokenizer.LetterRunSplitter.Letters;
import static dev.varve.platform.tokenizer.LetterRunSplitter.SignsEnd;

import dev.varve.api.VarveException;
import dev.varve.api.model.PreTokenizer;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Pre-tokenizers of byte-level BPE by their name in {@code tokenizer.ggml.pre}: those of the
 * model's family, and the platform's. A new one of the platform is one line in {@link #own}.
 */
final class PreTokenizers {
    private static final String JINA = "jina-";

    private static final WordRules GPT2 = WordRules.of(new Gpt2Splitter());

    private static final Map<String, WordRules> OWN = own();

    /** Only those of the platform. */
    static final PreTokenizers PLATFORM = new PreTokenizers(Map.of());

    private final Map<String, PreTokenizer> ofFamily;

    private PreTokenizers(Map<String, PreTokenizer> ofFamily) {
        this.ofFamily = ofFamily;
    }

    /** Returns the platform's plus those of a family, which take precedence. */
    static PreTokenizers with(Map<String, PreTokenizer> ofFamily) {
        return new PreTokenizers(Map.copyOf(ofFamily));
    }

    /** Rejects unknown names: another split of words would silently degrade the model. */
    WordRules named(String name) {
        PreTokenizer brought = ofFamily.get(name);
        return brought == null ? own(name) : WordRules.of(new CheckedPreTokenizer(name, brought));
    }

    private WordRules own(String name) {
        if (name.startsWith(JINA)) {
            return GPT2;
        }
        return Optional.ofNullable(OWN.get(name))
                .orElseThrow(
                        () ->
                                new VarveException(
                                        VarveException.Kind.UNSUPPORTED_MODEL,
                                        "tokenizer.ggml.pre: expected one of "
                                                + names()
                                                + ", found "
                                                + (name.isEmpty() ? "none" : "\"" + name + "\"")));
    }

    /** The known names, with {@code *} for any end of a name. */
    Set<String> names() {
        Set<String> names = new TreeSet<>(OWN.keySet());
        names.add(JINA + "*");
        names.addAll(ofFamily.keySet());
        return names;
    }

    private static Map<String, WordRules> own() {
        PreTokenizer threeDigits = new LetterRunSplitter(Letters.PLAIN, 3, SignsEnd.LINE_ENDS);
        PreTokenizer oneDigit = new LetterRunSplitter(Letters.PLAIN, 1, SignsEnd.LINE_ENDS);
        PreTokenizer tekken =
                new LetterRunSplitter(Letters.CASED, 1, SignsEnd.LINE_ENDS_AND_SLASHES);
        PreTokenizer gpt4o =
                new LetterRunSplitter(
                        Letters.CASED_WITH_CONTRACTION, 3, SignsEnd.LINE_ENDS_AND_SLASHES);
        PreTokenizer seed = new LetterRunSplitter(Letters.PLAIN, 1, SignsEnd.NOTHING);
        PreTokenizer qwen35 = new LetterRunSplitter(Letters.WITH_MARKS, 1, SignsEnd.LINE_ENDS);
        Map<String, WordRules> own = new TreeMap<>();
        put(
                own,
                new WordRules(threeDigits, true, true),
                "llama3 llama-v3 llama-bpe falcon3 pixtral lfm2 midm-2.0");
        put(own, WordRules.of(threeDigits), "glm4 chatglm-bpe dbrx smaug-bpe");
        put(
                own,
                WordRules.of(oneDigit),
                "qwen2 deepseek-r1-qwen hunyuan solar-open megrez stablelm2");
        put(own, WordRules.of(qwen35), "qwen35");
        put(own, WordRules.of(inPasses(new LineSplitter(), oneDigit)), "laguna");
        put(own, new WordRules(tekken, true, true), "tekken");
        put(own, WordRules.of(gpt4o), "gpt-4o llama4 kanana2 minimax-m2");
        put(own, WordRules.of(seed), "seed-coder");
        put(own, WordRules.of(deepSeekV3()), "deepseek-v3 hunyuan-dense joyai-llm");
        put(own, WordRules.of(deepSeekCoder()), "deepseek-coder");
        put(own, WordRules.of(deepSeekLlm()), "deepseek-llm");
        put(own, GPT2, "gpt-2 olmo phi-2 exaone4 modern-bert");
        put(
                own,
                WordRules.of(inPasses(RunSplitter.of(CharacterSets::isNumber, 1), GPT2.splitter())),
                "smollm starcoder refact command-r codeshell exaone");
        return own;
    }

    private static PreTokenizer deepSeekV3() {
        return inPasses(
                RunSplitter.of(CharacterSets::isNumber, 3),
                RunSplitter.of(CharacterSets::isHanOrKana, Integer.MAX_VALUE),
                new DeepSeekSplitter());
    }

    private static PreTokenizer deepSeekCoder() {
        return inPasses(
                RunSplitter.of(CharacterSets::isLineEnd, 1),
                RunSplitter.afterSpace(CharacterSets::isLetter),
                RunSplitter.afterSpace(CharacterSets::isPunctuation),
                RunSplitter.of(CharacterSets::isEastAsian, Integer.MAX_VALUE),
                RunSplitter.of(CharacterSets::isNumber, 1));
    }

    private static PreTokenizer deepSeekLlm() {
        return inPasses(
                RunSplitter.of(CharacterSets::isLineEnd, 1),
                RunSplitter.afterSpace(CharacterSets::isCasedLetter),
                RunSplitter.afterSpace(CharacterSets::isWidePunctuation),
                new LastSpacesSplitter(),
                RunSplitter.of(CharacterSets::isEastAsian, Integer.MAX_VALUE),
                RunSplitter.of(CharacterSets::isNumber, Integer.MAX_VALUE));
    }

    /** Splits the words of each pass by the next one, which sees nothing outside of its word. */
    private static PreTokenizer inPasses(PreTokenizer first, PreTokenizer... others) {
        PreTokenizer passes = first;
        for (PreTokenizer next : others) {
            PreTokenizer before = passes;
            passes =
                    (text, from, to, words) ->
                            before.split(
                                    text,
                                    from,
                                    to,
                                    (begin, end) -> next.split(text, begin, end, words));
        }
        return passes;
    }

    private static void put(Map<String, WordRules> own, WordRules rules, String names) {
        for (String name : names.split(" ")) {
            own.put(name, rules);
        }
    }
}
