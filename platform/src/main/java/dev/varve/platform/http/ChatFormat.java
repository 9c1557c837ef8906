package dev.varve.platform.http;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;

/** The shapes of {@code /v1/chat/completions}. */
final class ChatFormat implements AnswerFormat {
    private final GenerationCall call;
    private final Logprobs logprobs;
    private final long created = System.currentTimeMillis() / 1000;

    ChatFormat(GenerationCall call, Logprobs logprobs) {
        this.call = call;
        this.logprobs = logprobs;
    }

    @Override
    public List<ObjectNode> opening() {
        List<ObjectNode> chunks = new ArrayList<>();
        for (int index = 0; index < call.choices(); index++) {
            ObjectNode chunk = chunk(index);
            delta(chunk).put("role", "assistant").put("content", "");
            chunks.add(chunk);
        }
        return chunks;
    }

    @Override
    public List<ObjectNode> token(ChoiceEvent.Token token) {
        boolean hasLogprobs = token.token().logprobs().isPresent();
        if (token.reasoning().isEmpty() && token.content().isEmpty() && !hasLogprobs) {
            return List.of();
        }
        ObjectNode chunk = chunk(token.index());
        putText(delta(chunk), token.reasoning(), token.content());
        if (hasLogprobs) {
            choice(chunk)
                    .putObject("logprobs")
                    .putArray("content")
                    .add(logprobs.chatEntry(token.token()));
        }
        return List.of(chunk);
    }

    @Override
    public List<ObjectNode> end(ChoiceEvent.Ended ended) {
        List<ObjectNode> chunks = new ArrayList<>();
        if (!ended.reasoning().isEmpty() || !ended.content().isEmpty()) {
            ObjectNode rest = chunk(ended.index());
            putText(delta(rest), ended.reasoning(), ended.content());
            chunks.add(rest);
        }
        ObjectNode last = chunk(ended.index());
        choice(last).put("finish_reason", ended.finishReason());
        chunks.add(last);
        return chunks;
    }

    @Override
    public ObjectNode usage(Usage usage) {
        ObjectNode chunk = head("chat.completion.chunk");
        chunk.putArray("choices");
        chunk.set("usage", usage.usage(call.choices()));
        chunk.set("timings", usage.timings());
        return chunk;
    }

    @Override
    public ObjectNode whole(List<ChoiceEvent> events, Usage usage) {
        ObjectNode answer = head("chat.completion");
        ArrayNode choices = answer.putArray("choices");
        for (int index = 0; index < call.choices(); index++) {
            choices.add(choice(index, events));
        }
        answer.set("usage", usage.usage(call.choices()));
        answer.set("timings", usage.timings());
        return answer;
    }

    private ObjectNode choice(int index, List<ChoiceEvent> events) {
        StringBuilder reasoning = new StringBuilder();
        StringBuilder content = new StringBuilder();
        ArrayNode entries = Json.MAPPER.createArrayNode();
        String finishReason = "stop";
        for (ChoiceEvent event : events) {
            if (event.index() == index && event instanceof ChoiceEvent.Token token) {
                reasoning.append(token.reasoning());
                content.append(token.content());
                token.token()
                        .logprobs()
                        .ifPresent(values -> entries.add(logprobs.chatEntry(token.token())));
            } else if (event.index() == index && event instanceof ChoiceEvent.Ended ended) {
                reasoning.append(ended.reasoning());
                content.append(ended.content());
                finishReason = ended.finishReason();
            }
        }
        ObjectNode choice = Json.object();
        choice.put("index", index);
        ObjectNode message = choice.putObject("message");
        message.put("role", "assistant");
        message.put("content", content.toString());
        if (!reasoning.isEmpty()) {
            message.put("reasoning_content", reasoning.toString());
        }
        if (call.topLogprobs() >= 0) {
            choice.putObject("logprobs").set("content", entries);
        } else {
            choice.putNull("logprobs");
        }
        choice.put("finish_reason", finishReason);
        return choice;
    }

    private static void putText(ObjectNode delta, String reasoning, String content) {
        if (!reasoning.isEmpty()) {
            delta.put("reasoning_content", reasoning);
        }
        if (!content.isEmpty()) {
            delta.put("content", content);
        }
    }

    private ObjectNode chunk(int index) {
        ObjectNode chunk = head("chat.completion.chunk");
        ObjectNode choice = chunk.putArray("choices").addObject();
        choice.put("index", index);
        choice.putObject("delta");
        choice.putNull("finish_reason");
        return chunk;
    }

    private static ObjectNode choice(ObjectNode chunk) {
        return (ObjectNode) chunk.get("choices").get(0);
    }

    private static ObjectNode delta(ObjectNode chunk) {
        return (ObjectNode) choice(chunk).get("delta");
    }

    private ObjectNode head(String type) {
        ObjectNode head = Json.object();
        head.put("id", call.id());
        head.put("object", type);
        head.put("created", created);
        head.put("model", call.model());
        return head;
    }
}
