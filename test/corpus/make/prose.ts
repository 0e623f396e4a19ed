/** Plain texts, written for these pages. */

export const HARBOUR = [
  "The council of the harbour decided on Tuesday that the old crane stays where it is. For eleven years the crane has carried nothing but gulls, and twice a committee asked for its removal, once because of the rust and once because of the view.",
  "Engineers measured the steel in autumn. They found that the feet of the crane had lost a fifth of their thickness, while the arm had lost next to nothing, which surprised everybody who had seen it move in a storm. Repairs of the feet would cost as much as a new bench along the whole quay.",
  "“We have enough benches,” said the harbour master, who has kept the key of the cabin since her first day. She wants the crane to lift again, if only a bell, and only on the first of May. The council asked her to write down what that would need.",
  "Until then a fence remains. It is two metres high, and it will be painted blue, the colour of the boats, after a vote in which grey lost by nine hands to four, with one member asleep.",
];

export const WORKSHOP = [
  "Last winter I built a workbench out of the floor of a school. The boards were oak, forty millimetres thick, and full of nails that nobody had counted. I drew four hundred and twelve of them, and the last one found my plane before I found it.",
  "A bench has to be heavy before it is anything else. Everything that people write about joints is true, but a light bench with perfect joints walks across the room, and a heavy one with bad joints stays and complains. Mine weighs as much as two of me.",
  "I glued the top in three parts, because my clamps are short and my patience is shorter. Between the parts I let the glue rest over night. In the morning the wood had moved by less than the thickness of a hair, which is to say that I could not find the hair.",
  "If you build one, make it as high as the knuckles of your hand when your arm hangs down. Lower is better for planing, higher for sawing small things; in the middle you will regret both a little and neither much.",
];

export const SOUP = [
  "This soup wants an hour and forgives almost everything. My grandmother made it on days when the shop was closed, so each part of it can be something else, except for the onions, which have to be there and have to be brown.",
  "Cut the onions thinly and let them take their time in butter, with a lid at first and without one later. When they are the colour of a cello, add the barley and stir until it smells of nuts. Then comes the water, hot, so that the pot does not lose heart.",
  "After forty minutes the barley is soft and the soup is thick. Taste it before you add salt, because the stock may have brought its own. A spoon of vinegar at the very end wakes up the whole pot.",
];

export const LATHE = [
  "The lathe reads its programme from a file of plain text, one instruction a line. Lines that begin with a semicolon are comments and are shown on the display while the spindle turns, so that whoever watches knows what happens next.",
  "Before the first cut the machine measures the length of the tool against the sensor at the left end of the bed. If the length differs by more than half a millimetre from what the table of tools says, it stops and asks. Do not answer without looking.",
  "Each instruction is checked when the file is loaded and again just before it is carried out. A file that passes the first check may still fail the second, for example when a tool was changed by hand in between.",
];

export const BIRD = [
  "The grey shore lark is a small bird of stony coasts. It breeds in hollows between stones, often within a few metres of the highest tide, and is known for a song that rises at its end like a question. Adults are grey above and nearly white below, with a dark mark behind the eye.",
  "Its nest is lined with dry weed and, on inhabited coasts, with threads of old nets. Two broods a year are usual in the south of its range and one in the north, where the summer is short. Both parents feed the young with flies and small crabs.",
  "The number of breeding pairs was estimated at nine thousand in the first count and at seven thousand two hundred in the second. Storms in May are thought to be the main cause of losses, since a single night can wash over a whole colony.",
];

/** The same small story in languages whose old encodings are still met. */
export const STORIES = {
  de: [
    "Der Zug nach Süden fährt heute später. Eine Kuh stand auf den Gleisen, sagte der Schaffner, und sie wollte nicht weichen, obwohl man ihr Äpfel anbot – „die besten der Gegend“, wie er hinzufügte.",
    "Nach einer Stunde kam der Bauer mit seinem Hund. Der Hund bellte nicht einmal. Er setzte sich vor die Kuh, sah sie lange an, und schließlich ging sie über die Wiese davon, als wäre es ihre Idee gewesen.",
    "Die Fahrgäste klatschten. Kosten für die Verspätung übernimmt die Bahn: 5 € je Stunde, genug für Äpfel.",
  ],
  fr: [
    "Le train du sud partira plus tard aujourd’hui. Une vache se tenait sur la voie, dit le contrôleur, et elle refusait de s’écarter, bien qu’on lui offrît des pommes, « les meilleures de la région », ajouta-t-il.",
    "Au bout d’une heure, le fermier arriva avec son chien. Le chien n’aboya même pas. Il s’assit devant la vache, la regarda longtemps, et elle finit par s’en aller à travers le pré, comme si l’idée venait d’elle.",
    "Les voyageurs applaudirent. Le café fut offert à tous, même à ceux qui n’avaient rien vu.",
  ],
  pl: [
    "Pociąg na południe odjedzie dziś później. Na torach stała krowa, powiedział konduktor, i nie chciała zejść, chociaż dawano jej jabłka, najlepsze w całej okolicy, jak dodał z dumą.",
    "Po godzinie przyszedł gospodarz z psem. Pies nawet nie zaszczekał. Usiadł przed krową, długo na nią patrzył, aż wreszcie odeszła przez łąkę, jakby to był jej własny pomysł.",
    "Podróżni klaskali. Za opóźnienie zapłaci kolej, a jabłka zjadły dzieci z trzeciego wagonu.",
  ],
  ru: [
    "Поезд на юг сегодня отправится позже. На путях стояла корова, сказал проводник, и не хотела уходить, хотя ей предлагали яблоки, лучшие во всей округе, как он добавил.",
    "Через час пришёл хозяин с собакой. Собака даже не залаяла. Она села перед коровой, долго смотрела на неё, и наконец та пошла через луг, как будто это была её собственная мысль.",
    "Пассажиры хлопали. За опоздание заплатит дорога, а яблоки съели дети из третьего вагона.",
  ],
  ja: [
    "南へ向かう列車は、今日は遅れて出発します。線路の上に牛が立っていて、動こうとしなかったと車掌は言いました。この土地で一番おいしいりんごを見せても、牛は首を振るだけでした。",
    "一時間ほどして、農家の人が犬を連れてやって来ました。犬は一度も吠えませんでした。牛の前に座り、長い間じっと見つめていると、牛は自分で決めたかのように草原の方へ歩いて行きました。",
    "乗客は拍手をしました。遅れの費用は鉄道会社が払い、りんごは三号車の子どもたちが食べました。",
  ],
  zh: [
    "往南的火车今天会晚一些出发。列车员说，有一头牛站在铁轨上，怎么也不肯走开，虽然大家给它看了这一带最好的苹果，它也只是摇了摇头。",
    "过了一个小时，农夫带着他的狗来了。狗一声也没有叫。它坐在牛的前面，看了很久，最后牛穿过草地走开了，好像这是它自己的主意。",
    "乘客们都鼓起掌来。铁路公司会付晚点的钱，苹果被三号车厢的孩子们吃掉了。",
  ],
  "zh-Hant": [
    "往南的火車今天會晚一些出發。列車員說，有一頭牛站在鐵軌上，怎麼也不肯走開，雖然大家給牠看了這一帶最好的蘋果，牠也只是搖了搖頭。",
    "過了一個小時，農夫帶著他的狗來了。狗一聲也沒有叫。牠坐在牛的前面，看了很久，最後牛穿過草地走開了，好像這是牠自己的主意。",
    "乘客們都鼓起掌來。鐵路公司會付晚點的錢，蘋果被三號車廂的孩子們吃掉了。",
  ],
  ko: [
    "남쪽으로 가는 기차는 오늘 늦게 출발합니다. 차장은 선로 위에 소가 서 있었고, 이 지방에서 가장 좋은 사과를 보여 주어도 비키려고 하지 않았다고 말했습니다.",
    "한 시간 뒤에 농부가 개를 데리고 왔습니다. 개는 한 번도 짖지 않았습니다. 소 앞에 앉아 오랫동안 바라보았고, 마침내 소는 마치 자기 생각인 것처럼 풀밭을 가로질러 걸어갔습니다.",
    "승객들은 박수를 쳤습니다. 늦은 값은 철도 회사가 내고, 사과는 세 번째 칸의 아이들이 먹었습니다.",
  ],
  ar: [
    "سيتأخر القطار المتجه إلى الجنوب اليوم. قال قاطع التذاكر إن بقرة كانت واقفة على السكة، ولم ترد أن تبتعد، مع أنهم عرضوا عليها تفاحا، وهو أفضل تفاح في المنطقة كما قال.",
    "وبعد ساعة جاء الفلاح ومعه كلبه. لم ينبح الكلب ولا مرة واحدة. جلس أمام البقرة ونظر إليها طويلا، ثم مشت عبر المرج كأن الفكرة كانت فكرتها.",
    "صفق الركاب. ستدفع السكة الحديدية ثمن التأخير: 5 EUR لكل ساعة، وأكل الأطفال التفاح في العربة رقم 3.",
  ],
  he: [
    "הרכבת דרומה תצא היום מאוחר יותר. פרה עמדה על המסילה, אמר הכרטיסן, ולא רצתה לזוז, אף על פי שהציעו לה תפוחים, הטובים ביותר באזור, כך הוסיף.",
    "אחרי שעה הגיע האיכר עם הכלב שלו. הכלב לא נבח אפילו פעם אחת. הוא ישב מול הפרה, הביט בה זמן רב, ולבסוף היא הלכה דרך האחו, כאילו הרעיון היה שלה.",
    "הנוסעים מחאו כפיים. הרכבת תשלם על האיחור, ואת התפוחים אכלו הילדים בקרון השלישי.",
  ],
} as const;

export function paragraphs(texts: readonly string[]): string {
  return texts.map((text) => `<p>${text}</p>`).join("\n");
}
