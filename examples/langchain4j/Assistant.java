import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.service.AiServices;

import dev.varve.embedded.*;
import dev.varve.langchain4j.VarveChatModel;

public interface Service {
    String chat(String message);
}

public static class Weather {
    @Tool(name = "get_weather", value = "Get the weather in a city")
    public String weather(@P(name = "city", value = "the city") String city) {
        return "{\"weather\": \"sunny\"}";
    }
}

void main(String[] arguments) {
    var options = VarveOptions.DEFAULT.withSampling(Sampling.DEFAULT.temperature(0));
    try (Varve model = Varve.open(Path.of(arguments[0]), options)) {
        var service =
                AiServices.builder(Service.class)
                        .chatModel(new VarveChatModel(model))
                        .tools(new Weather())
                        .build();
        IO.println(service.chat("What is the weather in Paris?"));
    }
}
