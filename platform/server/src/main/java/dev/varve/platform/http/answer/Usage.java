package dev.varve.platform.http.answer;

import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.shard.ExpertCounts;

import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;

/** Token counts and times of all choices of a request. */
public final class Usage {
    private final List<ChoiceEvent.Ended> ends = new ArrayList<>();

    void add(ChoiceEvent.Ended ended) {
        ends.add(ended);
    }

    int generatedTokens() {
        return ends.stream().mapToInt(ended -> ended.end().tokens().generated()).sum();
    }

    /**
     * Numbers of tokens.
     *
     * @param prompt number of tokens of all prompts
     * @param cached number of those that came from the prefix cache
     * @param generated number of generated tokens of all choices
     * @param reasoning number of those that are reasoning
     */
    public record Counts(int prompt, int cached, int generated, int reasoning) {}

    /** Returns the counts; a prompt counts once for all of its choices, as in OpenAI's API. */
    public Counts counts(int choicesPerPrompt) {
        int prompt = 0;
        int cached = 0;
        int reasoning = 0;
        for (ChoiceEvent.Ended ended : ends) {
            boolean first = ended.index() % choicesPerPrompt == 0;
            prompt += first ? ended.end().tokens().prompt() : 0;
            cached += first ? ended.end().tokens().cached() : 0;
            reasoning += ended.summary().reasoningTokens();
        }
        return new Counts(prompt, cached, generatedTokens(), reasoning);
    }

    /** Returns the counts in the form of chat and text completions. */
    public ObjectNode usage(int choicesPerPrompt) {
        Counts counts = counts(choicesPerPrompt);
        ObjectNode usage = Json.object();
        usage.put("prompt_tokens", counts.prompt());
        usage.put("completion_tokens", counts.generated());
        usage.put("total_tokens", counts.prompt() + counts.generated());
        usage.putObject("prompt_tokens_details").put("cached_tokens", counts.cached());
        usage.putObject("completion_tokens_details").put("reasoning_tokens", counts.reasoning());
        return usage;
    }

    /**
     * Returns the times of the first choice, its speculative decoding, its prefix lookup, its
     * paging if KV Flash is used, and its share of the experts that its steps needed if they are
     * streamed. An extension of the API.
     */
    public ObjectNode timings() {
        ObjectNode timings = Json.object();
        if (!ends.isEmpty()) {
            GenerationEnd end = ends.getFirst().end();
            timings.put("queue_ms", Json.tenths(end.times().queueMillis()));
            timings.put("prefill_ms", Json.tenths(end.times().prefillMillis()));
            timings.put("prefill_tokens_per_second", Json.tenths(end.prefillTokensPerSecond()));
            timings.put("decode_ms", Json.tenths(end.times().decodeMillis()));
            timings.put("decode_tokens_per_second", Json.tenths(end.decodeTokensPerSecond()));
            putSpeculation(timings, end.speculation());
            putCache(timings, end.cache());
            end.experts().ifPresent(experts -> putExperts(timings.putObject("experts"), experts));
            end.paging().ifPresent(paging -> putPaging(timings.putObject("kvflash"), paging));
        }
        return timings;
    }

    private static void putSpeculation(ObjectNode timings, GenerationEnd.Speculation speculation) {
        timings.put("draft_tokens", speculation.drafted());
        timings.put("accepted_tokens", speculation.accepted());
        timings.put("verify_steps", speculation.verifySteps());
        timings.put("acceptance_length", Json.thousandths(speculation.acceptanceLength()));
    }

    private static void putCache(ObjectNode timings, PrefixLookupResult cache) {
        timings.put("cache_source", cache.source().map(CacheSource::word).orElse(null));
        timings.put("cache_miss", cache.miss().map(MissReason::word).orElse(null));
        timings.put("cache_restored_bytes", cache.restored().bytes());
        timings.put("cache_restore_ms", Json.tenths(cache.restored().millis()));
    }

    private static void putExperts(ObjectNode experts, ExpertCounts counts) {
        experts.put("hits", counts.hits());
        experts.put("misses", counts.misses());
        experts.put("hit_rate", Json.thousandths(counts.hitRate()));
        experts.put("read_bytes", counts.readBytes());
    }

    private static void putPaging(ObjectNode kvflash, GenerationEnd.Paging paging) {
        PagingCounts counts = paging.counts();
        kvflash.put("policy", paging.policy().word());
        kvflash.put("pages_out", counts.pagesOut());
        kvflash.put("pages_in", counts.pagesIn());
        kvflash.put("moved_bytes", counts.movedBytes());
        kvflash.put("reselects", counts.reselects());
        kvflash.put("recalls", counts.recalls());
        kvflash.put("recall_hit_rate", Json.thousandths(counts.recallHitRate()));
        kvflash.put("resident_pages", paging.residentPages());
        kvflash.put("host_pages", paging.hostPages());
    }
}
