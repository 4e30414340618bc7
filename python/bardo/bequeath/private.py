"""Finds what a number or a word is about, where its form says nothing: codes, passwords, results, holdings, parameters.

A sentence is read for cues, each a list of words in several languages. A number goes when the cues say that it opens
something, belongs to a person, tells what the agent (or its owner) has or made, or is a parameter of how it acts. It
stays when it is about the world: a date, a measure, a version, a rule of somebody else, a price that was public.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import log2

#: Names of what is found here, as marks and counts have them.
KINDS = frozenset(
    {"password", "seed_phrase", "code", "identity", "key_bytes", "random_key", "holding", "parameter"}
)
#: Points from which a number counts as a result, a holding or a parameter.
_ENOUGH = 2.5
#: Characters of a sentence that is looked at; what is longer is looked at in pieces.
_LONGEST = 1_024
#: Characters around a number in which a unit or a label stands.
_BESIDE = 28


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text that must not cross.

    Args:
        start: First character.
        end: Character after the last.
        kind: Name in the mark and in the counts.
        instead: Words that keep the lesson; empty for a mark.
    """

    start: int
    end: int
    kind: str
    instead: str = ""


def _words(*lists: str) -> str:
    return "|".join(" ".join(lists).split())


def _cue(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)


#: What is opened with a code.
_LOCK = _cue(
    _words(
        r"alarm\w{0,6} (?:(?:front|back|side|garage|cellar|car|office|house|main|apartment|building|"
        r"entry)[\s_])?doors?",
        "gates? keypad key[\\s-]?(?:box|pad|safe) lock lockbox locker padlock lockers combination safe "
        "safes garage vault",
        "unlock\\w* disarm\\w* arm\\w* lift elevator turnstile storage shed cabin mailbox letterbox "
        "suitcase trunk cellar",
        "basement entrance entry intercom buzzer barrier hatch locks opens? sim phone tablet laptop "
        "screen fob bike boat",
        "port[óo]n puerta portal port[ãa]o porta porte portail digicode interphone coffre cadenas serrure",
        "t[üu]r\\w* tor haust[üu]r\\w* schlo[sß]s? alarmanlage tresor keller\\w* briefkasten "
        "schlie[sß]fach cassaforte cancello",
        "alarma cerradura candado caja\\s?fuerte ascensor garaje garagem cofre fechadura cadeado elevador",
        "deur slot poort kluis bram[aye] drzwi domofon\\w* sejf\\w* furtk\\w* dör\\w* dveře skřín\\w*",
        "двер\\w* ворот\\w* домофон\\w* сейф\\w* подъезд\\w* замк\\w* замок сигнализаци\\w*",
        "kap[ıi]\\w* kasa kilit\\w* tuş alarmı asansör\\w* kapısı",
    )
)
#: The word for a code itself.
_CODE = _cue(
    _words(
        r"codes? pins? puks? pass[\s-]?codes? keycodes? tans? otp digicode c[óo]digos? codice kod kodu "
        r"kody code-?wort",
        r"geheimzahl zahlencode türcode pincode toegangscode пин пин-код код кода şifre\w* şifresi kodu parola",
        r"two-factor 2fa digits ziffern chiffres cijfers cifre cyfry dígitos цифр\w*",
    )
)
_CODE_CJK = re.compile("暗証番号|パスコード|解錠|ドアコード|暗号番号|门锁|密码|門鎖|密碼|비밀번호|도어락")
#: What a hand does with a code.
_TYPED = _cue(
    _words(
        r"press type enter punch dial key tap push input use say with wants needs takes is are then set turn",
        r"tape[rz]? composer? appuie[rz]? drück\w* gib tippe\w* eingeben pulsa\w* marca\w* teclea\w* "
        r"digite wpisz\w* wybierz",
        r"набер\w* нажм\w* введ\w* tuşla\w* bas\w* toets druk",
    )
)
_PASSWORD = _cue(
    _words(
        r"pass[\s-]?words? passwd pwd pw pass[\s-]?phrases? passwor[dt]\w* kennwort\w* "
        r"mot\s?de\s?passe mdp contrase[ñn]a\w*",
        r"clave senha\w* palavra-passe hasł\w* парол\w* parola\w* şifre\w* wachtwoord\w* lösenord\w* "
        r"salasana\w* heslo adgangskode",
        r"log-?ins? credentials? creds? code-?words? safe-?word watchword",
    )
)
_PASSWORD_CJK = re.compile("パスワード|合言葉|密码|密碼|口令|비밀번호")
#: Where somebody logs in.
_ACCOUNT = _cue(
    _words(
        r"netflix spotify disney icloud gmail outlook wi-?fi wlan wifi router portal account accounts "
        r"laptop mac pc computer",
        r"desktop e?mail user username login log-?in sign-?in signs opens unlocks nas server vpn ssh "
        r"ftp database admin",
        r"printer tablet phone steam amazon paypal bank forum site website app cloud backup drive "
        r"tresor konto compte cuenta conta",
    )
)
_SEED = _cue(
    r"mnemonics?|seed (?:phrase|words?)|recovery (?:phrase|words?)|seedphrase|backup (?:phrase|words)|wallet words"
)
_PUBLIC_EXAMPLE = _cue(
    r"public|publicly|test vector|example|sample|documentation|docs|demo|placeholder|default|dummy|fake"
)
#: What names one person or one contract of theirs.
_ID = _cue(
    _words(
        r"ssn social\ssecurity nhs cpf cnpj curp nif nie dni pesel bsn siren siret steuer-?id "
        r"steuernummer tax\s(?:id|number|no)",
        r"passports? passport\sn\w+ reisepass\w* passeport pasaporte passaporte paszport\w* паспорт\w* pasaport\w*",
        r"(?:driver'?s?|driving)\slicen[cs]e licen[cs]e\s(?:no\.?|number) führerschein\w* permis "
        r"ausweis\w* personalausweis\w*",
        r"member membership mitglied\w* (?:employee|staff|customer|client|patient|student|policy|claim|"
        r"contract|case|insurance)\s(?:id|no|nr|number)",
        r"account\s(?:ending|no|nr|number) acct iban bic swift routing sort\scode kontonummer "
        r"konto-?nr card karte carte tarjeta cartão",
        r"credit\scard debit\scard virtual\scard visa mastercard amex medicare imei national\sid "
        r"identity\scard id\s(?:card|number|no)",
        r"frequent\sflyer loyalty\scard booking\s(?:reference|number) pnr medical\srecord mrn "
        r"insurance\snumber versichertennummer sozialversicherungsnummer numéro\sde\ssécurité\ssociale "
        r"снилс инн tc\skimlik",
        r"マイナンバー 身份证 口座番号",
    )
)
_PHONE = _cue(
    r"(?:my|his|her|their|our|mum'?s|mom'?s|dad'?s|\w+'s) (?:new |old |private |personal |direct |mobile )?"
    r"(?:number|phone|mobile|cell|telephone|handy(?:nummer)?)(?: number)?"
)
_FIRST = _cue(
    _words(
        r"(?-i:I) i'm i've i'd we we're we've my our me (?-i:us) mine ours ich wir mein\w{0,2} "
        r"unser\w{0,2} mir uns je j'ai nous mon ma mes notre nos",
        r"mi mis nuestr\w{1,2} yo nosotros mío eu minha\w? meu\w? nosso\w? nossa\w? mój moj\w{1,3} "
        r"nasz\w{0,3} я мы мой моя мо[её] наш\w{0,2} нам мне мной",
        r"gané gané perdí compré vendí ganhei perdi comprei vendi заработал\w* потерял\w* купил\w* "
        r"продал\w* zarobił\w* stracił\w* kazandı[mk] kaybetti[mk]",
        r"bizim benim ben biz mijn onze ons wij mio mia nostr\w 私 我 我们 俺",
    )
)
#: What one's own money comes to.
_OWN_MONEY = _cue(
    _words(
        r"salar(?:y|ies) wages? pension income payroll pay\s?slip payslip rent mortgage debt loan "
        r"savings net\sworth allowance bonus",
        r"balance balances total\sfor\sthe\s(?:year|month|week|day|quarter) equity portfolio holdings? "
        r"treasury runway bankroll stake nest\segg cash depot pot bid invoice dividend\w?",
        r"p&l pnl upnl r?pnl realised_pnl realized_pnl drawdown payout turnover takings revenue margin\scall\w?",
        r"gehalt lohn rente miete kontostand guthaben depotwert gewinn\w* verlust\w* erlös salaire "
        r"loyer solde bénéfices? pertes? gain\w? retraite",
        r"sueldo salario nómina alquiler saldo ganancia\w? pérdida\w? pensión salário renda lucro\w? "
        r"prejuízo\w? stipendio saldo guadagno perdita",
        r"pensja zysk\w{0,3} strat[aęy]? zarobek saldo wypłata czynsz зарплат\w* пенси\w* прибыл\w* "
        r"убыт\w* баланс\w* остат\w* maaş\w* kâr\w* zarar\w* bakiye",
        r"winst verlies saldo huur salaris 利益 損失 給料 残高 工资 利润 亏损 余额",
    )
)
#: What somebody did with money.
_MADE = _cue(
    _words(
        r"made make makes lost lose loses losing earn\w* won netted cleared pocketed gained banked "
        r"cashed returned grossed bled burned burnt",
        r"cost\sm\w costs?\sus cost\sus pulled\sin took\shome down\sby up\sby pocketing clearing "
        r"forfeited gave\sback left\son\sthe\stable on\sthe\stable",
        r"bought sold buy sell long short shorted longed hedged sized sizing scaled accumulated staked "
        r"deposited withdrew borrowed lent bet wagered",
        r"(?:are|am|is|were|was)\s(?:down|up) (?:down|up)\s\d[\d.,]*\s?(?:%|btc|eth|r|k) liquidated "
        r"profit\w* loss losses gains? paid owes? owed",
        r"verloren verdient gewonnen gekauft verkauft perdu gagné acheté vendu perdí perdimos gané "
        r"ganamos compré vendí perdi ganhei ganhámos comprei vendi",
        r"perso guadagnato stracił\w* zarobił\w* kupił\w* sprzedał\w* потерял\w* заработал\w* купил\w* "
        r"продал\w* kaybett\w* kazand\w* aldı\w* sattı\w* verloor verdiende",
    )
)
#: What is of a size that somebody chose.
_HELD = _cue(
    _words(
        r"positions? position_size size sizes sized lots? contracts? qty quantity quantities leverage "
        r"levier hebel apalancamiento alavancagem notional",
        r"exposure inventory margin collateral shares? units coins? tokens? wallet account tranches? "
        r"clip clips order\ssize book per\sname per\strade risk\sper",
        r"futures perps? calls puts mes es nq btc eth sol usdt usdc",
    )
)
#: What an agent's own rules are made of.
_TUNED = _cue(
    _words(
        r"threshold\w? entry entries exit exits enter stop stops stop-?loss take-?profit target "
        r"targets trigger\w* signals? score confidence z z-?scores?",
        r"imbalance edge lookback look-?back window cool-?down funding spread spreads slippage "
        r"volatility latency gas gwei open\sinterest grid",
        r"levels kelly rebalanc\w+ health\sfactor alert alerts skew rsi ema sma macd atr bps "
        r"basis\spoints param\w* setting cut-?off cap capped caps",
        r"learning\srate weight weights coefficient alpha half-?life decay quote quotes mid ticks bid "
        r"ask backtest\w* limit limits max min maximum minimum",
        r"trade trades trading trader bot strategy model slice slices ladder rung hedge delta gamma "
        r"vega drawdown momentum reversion breakout retest",
        r"schwelle\w? einstieg ausstieg seuil entrée sortie umbral limiar próg порог\w* вход\w* "
        r"выход\w* eşik stopp? 閾値 阈值",
    )
)
#: Own effects that a rule is said to have.
_EFFECT = _cue(
    r"(?:is|are|was|were)?\s?(?:higher|lower|up|down|better|worse|improves?|drops?|rises?|falls?) by|"
    r"by|per trade|on average|after costs|edge"
)
#: What tells an action to whoever reads it.
_ORDER = re.compile(
    r"^\W{0,3}(?:only |never |always |do not |don't |please |then |and )?(?:enter|exit|buy|sell|short|"
    r"long|wait|keep|hold|stop|skip|cut|close|open|"
    r"take|size|sized|scale|rebalance|quote|bid|hedge|trade|avoid|reduce|add|bought|sold|lost|made|"
    r"cleared|pulled|won|netted|pocketed|earned|"
    r"liquidated|gave|paid|risk|cap|limit|deploy|rotate|bluff|fold|raise|bet|warned|when|if|once|"
    r"unless|with|whenever|position|inventory|grid|total)\b",
    re.IGNORECASE,
)
#: What acts by a rule of the testator's.
_THEN = _cue(
    r"action|no trade|wait|skip|do not|don't|never|only|always|stand aside|stay out|sit out|cut|exit|"
    r"enter|buy|sell|hedge|go flat|pause|halve"
    r"|shorts?|longs?|reduce|stop|bridging|bridge|rebalance|our|my|we|i|pulled|works|win|wins"
)
_COMPARED = re.compile(
    r"(?:(?:>=|<=|==|=>|[><≥≤≈=]|→)|\b(?:above|below|over|under|exceeds?|exceeding|tops?|topping|past|"
    r"beyond|at least|at most|more than|less than|"
    r"greater than|fewer than|no more than|up to|until|reaches|hits|falls? (?:under|below)|drops? "
    r"(?:under|below)|rises? (?:above|over)|spikes? above|"
    r"between|capped at|cap of|limit (?:is|of)|max(?:imum)?|min(?:imum)?|from|fires at|threshold (?:of|"
    r"is)|equals?|unter|über|bei|sous|au-dessus de|"
    r"por encima de|por debajo de|acima de|abaixo de|powyżej|poniżej|выше|ниже|больше|"
    r"меньше))\s{0,2}(?:a |an |the |of |about |around |roughly |z = ?)?$",
    re.IGNORECASE,
)
_SYMBOL = re.compile(r"[\w.\]) ](?:>=|<=|==|[><≥≤])\s{0,2}$")
#: A name, a comparison and a number: `gas >= 68.3`.
_CONDITION = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z_][\w.]{0,63})\s{0,2}(?P<sign>>=|<=|"
    r"[><≥≤])\s{0,2}(?P<number>[-+−]?\d(?:[\d.,_]{0,30}\d)?(?:e[-+]?\d{1,3})?%?)(?![\w])"
)
#: Somebody else, who does or says what the sentence tells.
_OTHERS = re.compile(
    r"(?:^|[.;:]\s)\W{0,2}(?:(?:the|a|an|in|on|at|by|for|day|first-class|la|le|el|der|die|das|o|os)\s){0,2}"
    r"(?:[A-Z][\w&'’/.-]{1,40}(?:\s(?:of\s(?:the\s)?)?(?:[A-Z0-9&][\w&'’/.-]{0,40}|500|markets?|"
    r"traders?|payments?|stamp|index|futures|shares))*)"
    r"(?:['’]s(?:\s[\w/-]+){0,4})?\s(?:\w+ly\s)?"
    r"(?:is|are|was|were|has|had|have|lost|gained|rose|fell|reported|closed|passed|raised|cut|cuts|"
    r"filed|split|halts?|needed|needs|went|hit|posted|made|"
    r"earned|paid|pays|charges?|costs?|takes?|allows?|requires?|liquidates?|deviates?|settles?|trades?|"
    r"listed|lists|broke|announced|crashed|printed|"
    r"dropped|under|over|worth|grew|shrank|bought|acquired|fined|delisted|introduced|changed|lets|"
    r"gives|ended|began|stood|peaked|bottomed|reached|moved|under)\b"
)
_WORLD = _cue(
    _words(
        r"tick\ssize lot\ssize\son contract\ssize minimum\sratio heartbeat deposit\srate "
        r"interest\srate policy\srate inflation index gdp rule regulation law",
        r"norm standard by\sthe\sold\srule exchange\srule spec specification an\sounce per\ssquare "
        r"market\scap halving supply ipo quarter second\squarter first\squarter",
        r"reported announced public publicly in\sthe\seu in\sthe\sus census unemployment census "
        r"population record\shigh all-time\shigh fee\sschedule maker\sfee",
        r"minimum\s(?:order|trade|deposit|bet|stake|wage)\w* taker\sfee free\splan rate\slimit "
        r"in\sthe\spaper papers? literature textbooks? documentation max_allowed_packet ulimit",
    )
)
_YEAR = re.compile(r"\b(?:in|since|of|until|by|from|before|after|during|em|en|im|в|w)?\s?(?:19|20)\d\d\b")
#: After a number: what is measured, and by no means a result.
_UNIT = re.compile(
    r"\s?(?:°|º)?(?:C|F|K)?\b(?<=[°º][CFK])|\s?(?:"
    + _words(
        r"kilomet\w+ km cm mm metres? meters? miles? feet foot inch(?:es)? m ft lumens? watts? kwh kw "
        r"volts? amps? hz khz mhz ghz °",
        r"minutes? mins? hours? hrs? h seconds? secs? s ms µs days? weeks? months? years? nights? "
        r"decades? centur\w+ o'clock am pm uhr",
        r"lines? rows? bytes kb mb gb tb kib mib gib bits? characters chars words pages? columns? "
        r"files? tokens? requests? calls? threads? cores?",
        r"kilos? kg g grams? mg lit\w+ l ml bar psi cups? spoons? people persons? guests? children "
        r"cats? dogs? times chapters? batches steps? sheets?",
        r"parameters? sure observations? cases blocks? generations? versions? signers? episodes? "
        r"entries records? tables? tests? commits? degrees? grad dpi px fps rpm bpm kcal votes?",
        r"min tage stunden minuten jahre heures jours ans horas días anos dias dni godzin lat минут "
        r"часов дней лет лв dakika saat gün square stars? metros",
    )
    + r")\b",
    re.IGNORECASE,
)
_OWN_UNIT = re.compile(
    r"\s?(?:lots|contracts|shares|buy-ins|coins|btc|eth|sol|usdt|usdc|dai|mes|levels|snapshots|ticks|"
    r"ms|bps|units|x)\b",
    re.IGNORECASE,
)
#: After a number: any noun.
_THING = re.compile(
    r"\s(?!(?:on|in|at|for|and|per|from|to|with|by|of|into|over|under|left|after|before|because|when|"
    r"the|a|an|this|that|last|is|was|until|off|too|but|or|as|then|opens|lets|gets|ile|und|et|do|auf|"
    r"para|pour|für|to|twice|once|again|only|instead|please|leverage|long|short|lots?|contracts?|"
    r"shares|equity)\b)[a-zà-ÿ]{3,}"
)
#: Before a number: its label, which says that it only counts or names.
_LABEL = re.compile(
    r"(?:\b(?:rooms?|raum|zimmer|sections?|§|chapters?|numbers?|no\.?|nr\.?|levels?|floors?|ports?|"
    r"versions?|release|v|blocks?|lines?|rows?|pages?|steps?|"
    r"articles?|art\.|models?|flights?|bus(?:es)?|trams?|trains?|platforms?|errors?|fehler|http|status|"
    r"iso|rfc|pep|cve|issue|ticket|pr|commit|insights?|"
    r"generations?|tick|ticks|at tick|episodes?|heights?|epoch|slot|node|python|java|postal|zip|source|"
    r"morse|area|country|gate|exit|stop at the|top|"
    r"day|week|year|q|chapter|figure|table|appendix|rule|route|highway|a|grade|apollo|windows|s&p|"
    r"nasdaq|dax|ftse|size|erro|unit|código de error|ошибка|"
    r"clave|bloque|bloc|salle|chambre|sala|quarto|pokój|комната|oda)\s{0,2}#?|#|\bticks?\s\d{1,20}\s(?:to|-|–)\s)$",
    re.IGNORECASE,
)
_ERROR_CODE = re.compile(
    r"(?i)\b(?:error|status|iso|http|zip|postal|postcode|country|area|source|morse|exit|oil|dress|"
    r"promo|colou?r|qr|bar|trouble|fault|obd)\s{0,2}-?codes?|"
    r"c[óo]digo de error|code of conduct|code p\d|fehlercode|codes? (?:is|are|was|were) (?:wrong|fine|"
    r"slow|changed)|lines of code"
)
_MONEY = re.compile(
    r"(?:[$€£¥₿₽₺₹]|\b(?:usd|eur|gbp|chf|jpy|usdt|usdc|dai|btc|eth|sol|sats|euros?|dollars?|pounds?|"
    r"bucks|grand|quid|zł|pln|руб\w*|рублей|lira|tl|francs?|d[óo]lares|pesos|dollari|dolar\w*|долларов|"
    r"cents?|pence|reais|yen)\b)",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?<![\w.,#/:§^_-])(?:[-+−]\s?)?[$€£¥₿]?\s?[-+−]?\d(?:[\d_]{0,18})(?:[.,  ' "
    r"]\d{3}(?!\d))*(?:[.,]\d{1,18})?(?:e[-+]?\d{1,3})?(?:(?:k|K|m|M|bn|B|mn)\b|\s(?:mn|mio|bn|million|"
    r"billion|thousand)\b)?"
    r"(?:\s?[%€$£])?(?![\w]*[-/:][\w])(?!\w)|(?<![\w.])\d[\d.,]{0,12}(?:k|K|m|M|x|bps|bn|R|BTC|ETH|SOL|lots)\b"
)
_SPELT = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|"
    r"sixty|seventy|eighty|ninety|a|half a|several)"
)
#: Money in words: `four grand`, `two and a half million`.
_MONEY_WORDS = re.compile(
    rf"(?i)\b{_SPELT}(?:[\s-](?:and[\s-](?:a[\s-])?half|hundred|{_SPELT}))*(?:[\s-](?:grand|hundred|"
    rf"thousand|million|billion|bucks|quid|k|lots|contracts|coins))"
    rf"(?:[\s-](?:thousand|million|billion|and[\s-]a[\s-]half))*\b"
)
_DIGIT = (
    r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|drei|vier|fünf|sechs|sieben|"
    r"acht|neun)"
)
_DIGIT_WORDS = re.compile(rf"(?i)\b{_DIGIT}(?:[\s,-]{{1,2}}{_DIGIT}){{3,9}}\b")
_DIGIT_CHAIN = re.compile(r"(?<![\w.,-])\d(?:-\d){3,7}(?![\w.,]?\d|-)")
_DIGIT_SPACED = re.compile(r"(?<![\w.,-])\d(?:\s\d){3,7}(?![\w.,]?\d)")
#: The turns of a combination: `34, right 12, left 56`.
_TURNS = re.compile(
    r"(?i)(?<![\w.,])\d{2}(?:[\s,/-]{1,2}(?:then |left |right |links |rechts |back to "
    r"){0,2}\d{2}){2,4}(?![\w%]|[.,]\d)"
)
#: Groups of digits, as people say a code.
_GROUPS = re.compile(r"(?<![\w.,])\d{2,4}(?:\s\d{2,4}){1,3}(?![\w%]|[.,]\d)")
#: A code of digits, or of digits with letters, stars and hashes.
_CODE_TOKEN = re.compile(
    r"(?<![\w.,:/$€£¥§+~-])#?(?:\d{2,4}[*#]\d{1,6}#?|\d{3,8}[*#]?|"
    r"(?=[A-ZА-Я]*\d)(?=\d*[A-ZА-Я])[A-ZА-Я\d]{4,10}|\d{2}(?=[,;. ]))(?![\w%°€$£]|[.,:]\d|\s?[%°€$£])"
)
_CJK_CODE = re.compile(r"(?<!\d)\d{3,8}(?!\d)")
#: A word that nobody would write but as a secret: letters with figures or signs among them.
_ODD = re.compile(
    r"(?<![\w/.@$\"'\[{=-])(?=[^\s\"',;]{0,60}[^\W\d_])(?=[^\s\"',;]{0,60}(?:\d|[!@#$%^&*~+]|"
    r"_))(?!https?:|(?:SHA|sha|MD|md)\d)(?![A-Z][A-Z\d_]{2,}(?:\s|"
    r"$))[^\s\"',;()\[\]{}<>=/]{5,64}(?<![.:!?])"
)
_PLAIN_PREDICATE = re.compile(
    r"(?i)^(?:not|no|none|null|nil|never|now|still|too|very|also|only|always|required|wrong|weak|"
    r"strong|short|long|longer|missing|empty|stored|kept|"
    r"in|on|at|for|from|by|the|a|an|my|your|our|his|her|its|their|what|that|this|where|when|and|or|but|"
    r"with|without|if|as|is|are|was|were|be|been|to|of|"
    r"rotated|changed|reset|expired|hashed|public|secret|safe|unsafe|invalid|valid|optional|asked|sent|"
    r"shared|written|under|patience|printed|"
    r"es|la|le|el|los|las|der|die|das|den|ein|eine|nicht|un|une|o|os|uma|um|nie|не|на|в|ya|bir|drawer|"
    r"policy|policies|manager|managers|field|prompt|"
    r"\w+ed|\w+ly|\w+ing)$"
)
_AFTER_PASSWORD = re.compile(
    r"(?:\s(?:for|of|to|on|do|del|de la|de|du|für|vom|zum|von|от|для|til|voor|van|is|was)\b[^.;:=]{0,40}?)?"
    r"\s{0,2}(?::|=|—|–|-|->|\b(?:is|was|lautet|ist|est|es|é|jest|to|это|c'est|är|on|stays|still)\b|は|"
    r"是|：)\s{0,2}[\"'“«]?(?P<secret>[^\s\"'”»,;]{3,64})",
    re.IGNORECASE,
)
_NEXT_WORD = re.compile(r"\s[\"'“«]?(?P<secret>[^\s\"'”»,;:]{3,64})")
_SAID = re.compile(
    r"(?i)\b(?:say|says|said|give|whisper|tell (?:him|her|them)|mention|answer)\s(?:the\s(?:(?:magic|"
    r"code|secret|safe)\s?)?word\s|(?:codeword|password|parole)\s)(?:is\s)?[\"'“]?(?P<secret>\w{3,40})"
)
_CASED = re.compile(
    r"(?i)[:=–—]\s{0,2}[\"'“]?(?P<secret>\w[\w-]{2,40})[\"'”]?,?\s(?:\(?all\s|\(?in\s)?(?:lower|upper|"
    r"small|capital)[\s-]?(?:case|letters?|caps)|"
    r"[:=–—]\s{0,2}[\"'“]?(?P<one>\w[\w-]{2,40})[\"'”]?,?\s\(?(?:no spaces|one word|all caps|without "
    r"spaces|capital \w)\b"
)
_ASSIGNED = re.compile(r"\b(?P<left>[\w' -]{2,40})\s=\s[\"'“]?(?P<secret>[A-Za-z]\w{3,40})")
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
_ID_TOKEN = re.compile(
    r"(?<![\w.$€£-])(?=[^\s]{0,24}\d)[A-Z]{0,6}[-.\s]?\d(?:[A-Z\d]|[-./\s](?=[A-Z\d])){2,30}[A-Z\d](?![\w%]|[.,]\d)"
)
_TAIL = re.compile(r"(?i)\b(?:ending(?: in)?|ends in|last (?:four|4)(?: digits)?)\s(?P<secret>\d{3,6})\b")
_MIXED_CODE = re.compile(r"(?<![\w-])(?=[\w-]{0,40}\d)[A-Za-z0-9]{3,6}(?:-[A-Za-z0-9]{3,6}){1,7}(?![\w-])")
_PIECE = re.compile(
    r"(?<=[a-z0-9)%'\"”€$])(?<!\b[Nn]o)(?<!\b[Nn]r)(?<!\b[Aa]rt)(?<!\bvs)(?<!\bca)[.!?](?=\s+[A-ZÀ-ÞА-Я\"'“(])|[\n。！？]"
)
_QUOTED = re.compile(r"[\"'“«](?P<secret>[a-z]{3,8}(?:\s[a-z]{3,8}){2,23})[\"'”»]")
_MARKED = re.compile(r"\[redacted: \w+\]")
_BYTES = re.compile(r"(?<![\w,])\[?(?:\d{1,3},\s?){7,}\d{1,3}\]?(?!\w)")
#: A long token of letters of both cases and figures: random, as nothing that people write is.
_RANDOM = re.compile(
    r"(?<![\w/+=.@#:-])(?=[\w+/-]{0,255}[a-z])(?=[\w+/-]{0,255}[A-Z])(?=[\w+/-]{0,255}\d)[A-Za-z0-9+/_-"
    r"]{20,255}={0,2}(?![\w/.-]*[\w/])"
)
#: Bits a character from which a token is random: words and identifiers in camel case stay below.
_BITS = 3.6
#: Before a random token: what makes it public.
_PUBLIC_TOKEN = re.compile(
    r"(?i)(?:ssh-\w+|ecdsa-\S+|address(?:es)?|contract|mint|program|pool|pubkey|public key|tx|"
    r"transaction|signature|fingerprint|cid|commit|hash|digest|"
    r"checksum|sha\d*|md5|integrity|uuid|id|sha256-)\W{1,3}(?:\w{1,9}\s){0,2}$"
)
_KEYISH = _cue(r"key|keys|keypair|private|secret|seed|bytes|token|credential|bearer")


def spans(text: str) -> list[Span]:
    """The stretches of a text that must not cross, in order and apart from each other."""
    found: list[Span] = []
    start = 0
    ends = [match.end() for match in _PIECE.finditer(text)]
    for end in (*ends, len(text)):
        for place in range(start, end, _LONGEST):
            sentence = text[place : min(place + _LONGEST, end)]
            found += [
                Span(place + span.start, place + span.end, span.kind, span.instead) for span in _of(sentence)
            ]
        start = end
    found.sort(key=lambda span: (span.start, -span.end))
    apart: list[Span] = []
    for span in found:
        if not apart or span.start >= apart[-1].end:
            apart.append(span)
    return apart


def _of(sentence: str) -> Iterator[Span]:
    """Of one sentence; the marks of an earlier pass say nothing."""
    marked = [match.span() for match in _MARKED.finditer(sentence)]
    plain = _MARKED.sub(lambda match: " " * len(match[0]), sentence)
    taken: list[tuple[int, int]] = list(marked)
    for span in (*_passwords(plain), *_random(plain), *_codes(plain), *_identities(plain), *_figures(plain)):
        if all(span.end <= start or span.start >= end for start, end in taken):
            taken.append((span.start, span.end))
            yield span


def _group(match: re.Match[str], kind: str) -> Span:
    name = next((name for name in ("secret", "one") if match.groupdict().get(name)), 0)
    return Span(match.start(name), match.end(name), kind)


def _passwords(text: str) -> Iterator[Span]:
    cues = list(_PASSWORD.finditer(text))
    for cue in cues:
        after = _AFTER_PASSWORD.match(text, cue.end())
        if after and _is_secret(after["secret"]):
            yield _group(after, "password")
        following = _NEXT_WORD.match(text, cue.end())
        if following and _ODD.fullmatch(following["secret"]):
            yield _group(following, "password")
    if cues:
        odd_words = _ODD.finditer(text, cues[0].end())
        yield from (Span(*odd.span(), "password") for odd in odd_words if _is_odd(odd[0]))
    for cue in _PASSWORD_CJK.finditer(text):
        for word in re.finditer(r"[A-Za-z0-9][\w!@#$%^&*.-]{3,40}", text[cue.end() :]):
            yield Span(cue.end() + word.start(), cue.end() + word.end(), "password")
    if _ACCOUNT.search(text) and not cues:
        for odd in _ODD.finditer(text):
            is_given = re.search(
                r"(?i)(?:\bwith|=|:|\bis|\buse|\bpw|\bpass|->|→|/|\blogin)\s{0,2}[\"'“]?$",
                text[: odd.start()],
            )
            if (
                is_given
                and not re.search(r"(?i)(?:sha-?\d*|md5):$", text[: odd.start()])
                and _is_odd(odd[0])
                and len(odd[0]) >= 8
                and re.search(r"[a-z]", odd[0])
            ):
                yield Span(*odd.span(), "password")
        for match in _ASSIGNED.finditer(text):
            if _ACCOUNT.search(match["left"]) and _CAMEL.search(match["secret"]):
                yield _group(match, "password")
    yield from (_group(match, "password") for match in _SAID.finditer(text))
    yield from (_group(match, "password") for match in _CASED.finditer(text))
    if _SEED.search(text) and not _PUBLIC_EXAMPLE.search(text):
        yield from (_group(match, "seed_phrase") for match in _QUOTED.finditer(text))


def _is_secret(word: str) -> bool:
    """Whether a word after `password is` is one, and not what is said of passwords."""
    bare = word.strip(".!?:")
    if re.fullmatch(
        r"\$?[A-Z][A-Z\d_]*_[A-Z\d_]*|None|null|<\w+>|\*+|\.\.\.|\d{1,2}", bare
    ) or word.startswith(("$", "os.", "${", "<")):
        return False
    return len(bare) > 2 and not _PLAIN_PREDICATE.match(bare)


def _is_odd(word: str) -> bool:
    bare = word.strip(".!?:")
    is_name = re.fullmatch(
        r"[A-Z][A-Z\d_]+|[a-z]+(?:_[a-z]+)+|v?\d[\d.]*\w{0,3}|[\w.]+\.(?:com|org|net|io|py|rs|toml|json|md|txt|db)",
        bare,
    )
    is_id = re.fullmatch(r"[0-9a-f-]{7,64}|0x[0-9a-fA-F]+|[+-]?\d[\d.,:-]*[%a-zA-Z]{0,4}", bare)
    return not is_name and not is_id


def _codes(text: str) -> Iterator[Span]:
    yield from (Span(*match.span(), "code") for match in _DIGIT_CHAIN.finditer(text))
    is_error = bool(_ERROR_CODE.search(text))
    named = None if is_error else _CODE.search(text)
    lock = _LOCK.search(text)
    if lock or named or _TYPED.search(text):
        yield from (Span(*match.span(), "code") for match in _DIGIT_SPACED.finditer(text))
        yield from (Span(*match.span(), "code") for match in _DIGIT_WORDS.finditer(text))
    cjk = _CODE_CJK.search(text)
    if cjk:
        yield from (Span(*match.span(), "code") for match in _CJK_CODE.finditer(text))
    if not lock and not named:
        return
    yield from (Span(*match.span(), "code") for match in _TURNS.finditer(text))
    for match in _GROUPS.finditer(text):
        if (
            lock
            and _is_given(text, match, lock)
            and not _UNIT.match(text[match.end() :])
            and not _MONEY.match(text[match.end() :].lstrip())
        ):
            yield Span(*match.span(), "code")
    for match in _CODE_TOKEN.finditer(text):
        before, after = (
            text[max(match.start() - _BESIDE, 0) : match.start()],
            text[match.end() : match.end() + _BESIDE],
        )
        # Two figures are a code only among others behind the word itself.
        is_short = len(match[0].strip("#*")) < 3
        if is_short and not (named and ":" in text[named.end() : match.start()]):
            continue
        label = _LABEL.search(before)
        is_year = re.fullmatch(r"(?:19|20)\d\d", match[0]) and not re.search(
            r"(?i)\b(?:the year|with|code|pin|is|:)\s?$", before
        )
        if (
            (label and not re.search(r"(?i)\byear\s?$", before))
            or _UNIT.match(after)
            or is_year
            or _MONEY.search(before[-3:])
        ):
            continue
        if re.fullmatch(r"[A-Z]+\d|\w*[A-Z]{4,}\w*", match[0]) and not named:
            continue
        if not named and not _is_given(text, match, lock):
            continue
        yield Span(*match.span(), "code")
    if named:
        yield from (
            Span(*match.span(), "code")
            for match in _MIXED_CODE.finditer(text)
            if not re.fullmatch(r"[\d-]{10}|[A-Za-z-]+", match[0])
        )


def _is_given(text: str, match: re.Match[str], lock: re.Match[str] | None) -> bool:
    """Whether a figure stands as the code of what is locked: at the end of its clause, or after what hands it over."""
    before, after = text[: match.start()], text[match.end() :]
    # What is counted follows its number.
    if re.fullmatch(r"\d{4,8}[*#]?", match[0]) and not _THING.match(after):
        return True
    hands = re.search(
        r"(?i)(?:[:=–—]|\b(?:with|is|by|to|type|press|enter|dial|wants|needs|takes|use|using|set|mit|"
        r"ist|con|est|avec|com|é|es|z|na|to|код|с|ile|lautet|year|et|alarm|lock|door"
        r"|pin|puk|safe|locker|box|pad|keypad|gate|garage|number|combination|alarma|alarme|puerta|"
        r"porte))\s{0,2}(?:the\s(?:year\s)?)?[\"'“#]?$",
        before,
    )
    if hands and re.search(r"(?i)\b(?:with|mit|con|avec|com|met|с)\s$", before):
        return True
    ends = re.match(
        r"\s{0,2}(?:[.,;!)\"'”]|$|\b(?:and|then|to|lets|opens|on|for|ile|und|et|y|para|pour|für|dla|для)\b)",
        after,
    )
    return bool(lock and hands and ends)


def _random(text: str) -> Iterator[Span]:
    """Keys without a form of their own, by the entropy of their characters."""
    for match in _RANDOM.finditer(text):
        token = match[0].rstrip("=")
        if re.fullmatch(r"(?:0x)?[0-9a-fA-F-]+", token) or _PUBLIC_TOKEN.search(
            text[max(match.start() - 48, 0) : match.start()]
        ):
            continue
        counts = [token.count(character) for character in set(token)]
        bits = -sum(count / len(token) * log2(count / len(token)) for count in counts)
        is_named = _KEYISH.search(text[max(match.start() - 24, 0) : match.start()])
        if bits >= _BITS and (is_named or len(re.findall(r"\d", token)) > 1):
            yield Span(*match.span(), "random_key")


def _identities(text: str) -> Iterator[Span]:
    if _ID.search(text) and not re.search(
        r"(?i)\btest card|\btest number|\bexample (?:card|iban|number)", text
    ):
        for match in _ID_TOKEN.finditer(text):
            before = text[max(match.start() - _BESIDE, 0) : match.start()]
            figures = sum(character.isdigit() for character in match[0])
            is_plain = _UNIT.match(text[match.end() :]) or _MONEY.search(
                before[-3:] + text[match.end() : match.end() + 6]
            )
            is_date = re.fullmatch(r"(?:19|20)\d\d|\d{1,2}[/.-]\d{2,4}", match[0].strip())
            if figures >= 4 and not is_plain and not is_date:
                yield Span(*match.span(), "identity")
        yield from (_group(match, "identity") for match in _TAIL.finditer(text))
    for cue in _PHONE.finditer(text):
        phone = re.search(r"\+?\d[\d\s()/-]{6,20}\d", text[cue.end() :])
        if phone:
            yield Span(cue.end() + phone.start(), cue.end() + phone.end(), "identity")
    if _KEYISH.search(text):
        yield from (Span(*match.span(), "key_bytes") for match in _BYTES.finditer(text))


@dataclass(frozen=True, slots=True)
class _Cues:
    """What a sentence says beside its numbers."""

    first: bool
    money: bool
    made: bool
    held: bool
    tuned: bool
    order: bool
    then: bool
    effect: bool
    others: bool
    world: bool

    @classmethod
    def of(cls, text: str) -> _Cues:
        text = _MISLEADING.sub(" ", text)
        found = [
            bool(cue.search(text))
            for cue in (_FIRST, _OWN_MONEY, _MADE, _HELD, _TUNED, _ORDER, _THEN, _EFFECT)
        ]
        first, money, made, held, tuned, order, then, effect = found
        first = first or bool(_OWN_SUBJECT.search(text))
        others = bool(_OTHERS.search(text)) and not first
        return cls(first, money, made, held, tuned, order, then, effect, others, bool(_WORLD.search(text)))

    @property
    def points(self) -> float:
        """How much says that figures here are one's own results, holdings or parameters."""
        total = 1.5 * self.first + 2.0 * self.money + 1.0 * self.made + 1.0 * self.held + 1.0 * self.tuned
        total += 0.75 * self.order + 0.5 * self.then * (self.tuned or self.held)
        return total - 2.5 * self.others - 2.0 * self.world


#: After the day of a date: its month.
_MONTH = re.compile(
    r"(?i)\s?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|januar|mär|mai|okt|dez|ene|abr|fév|avr|"
    r"июн|июл|мар|май)\w{0,7}\b"
)
#: Points of a number that is a name or a date.
_NO_RESULT = -9.0
#: Words of money and trade that mean something else.
_MISLEADING = re.compile(
    r"(?i)\b(?:shoe|dress|shirt|ring|font|file|batch|sample|page|screen|party|class|chunk|image|window|"
    r"paper|pack|portion|population|heap|buffer)\s?sizes?\b|\bsize \d|"
    r"\bNew Balance\b|\bwork-life balance\b|\bbalance (?:the|on|board|beam|bike)\b|\bminimum wage\b|"
    r"\bhair loss\b|\bweight loss\b|\bdata loss\b|\bpacket loss\b|"
    r"\bat a loss\b|\btrade (?:fair|union|wind|school|war)\w*|\bstock(?:ed|ing)?s? of\b|\blong (?:time|"
    r"way|walk|queue|day|ago|story|run|list|text|line)\w*|\b(?:as|so|too|how) long\b|"
    r"\bshort (?:circuit|film|story|list|walk|break)\w*|\bstop (?:at|the|sign|by|talking)\b|\bwindow "
    r"(?:seat|frame|sill)\w*|\bwindows? \d+\b|\bparking lot\b|\ba lot\b|\blots of\b|"
    r"\blight bulb\w*|\bgas (?:station|stove|bill|leak|tank)\b|\bbook(?:ed|ing|shelf|shop)?s? (?:has|"
    r"is|by|about|on|club)\b|\bfoot\w* position\b|\bhigh score\b|\bscored?\b(?= \d)"
)
_OWN_SUBJECT = re.compile(
    r"(?i)^\W{0,2}(?:the |this )?(?:agent|bot|grid bot|strategy|treasury|portfolio|position|inventory|"
    r"salary|balance|wallet|account|desk|fund|"
    r"multisig|our|my|mum'?s|dad'?s|grandpa'?s|grandma'?s|total|longs?|shorts?|margin|equity|mean "
    r"reversion|momentum|breakouts?|buy|sell|treasury multisig)\b"
)


def _figures(text: str) -> Iterator[Span]:
    """Results, holdings and parameters."""
    has_number = any(character.isdigit() for character in text)
    if not has_number and not _MONEY_WORDS.search(text):
        return
    cues = _Cues.of(text)
    for match in _CONDITION.finditer(text):
        above = match["sign"] in {">", ">=", "≥"}
        yield Span(match.end("name"), match.end("number"), "parameter", f" is {'high' if above else 'low'}")
    for match in _MONEY_WORDS.finditer(text):
        informal = re.search(r"(?i)(?:grand|bucks|quid|k)\b", match[0]) and not cues.others and not cues.world
        if informal or (cues.points >= 1.0 and (cues.made or cues.money or cues.held)):
            yield Span(*match.span(), "holding")
    if cues.points < 1.0 and not cues.effect and not re.search(r"[><≥≤=→\"]", text):
        return
    about = cues.money or cues.made or cues.held or cues.tuned or cues.effect
    if not about and not re.search(r"[><≥≤=→\"]", text):
        return
    for match in _NUMBER.finditer(text):
        points = cues.points + _beside(text, match, cues)
        if points >= _ENOUGH:
            start = match.start() + len(match[0]) - len(match[0].lstrip())
            yield Span(
                start,
                match.start() + len(match[0].rstrip()),
                "holding" if cues.money or cues.made else "parameter",
            )


def _is_name(number: str, before: str, after: str) -> bool:
    """Whether a number only names or counts: a label, an ordinal, a time, a year or a date."""
    is_size = re.search(
        r"(?i)\b(?:(?:position|order|trade|lot|bet|stake|clip)\s?sizes?|limit)\s{0,2}$", before
    )
    is_labelled = _LABEL.search(before) and number[0] not in "-+−$€£¥"
    if (is_labelled or re.match(r"\s?(?:st|nd|rd|th|º|ª)\b|:\d|/\d|-\w", after)) and not is_size:
        return True
    bare = number.lstrip("-+− $€£¥")
    is_year = re.fullmatch(r"(?:19|20)\d\d", bare) and not _MONEY.search(before[-3:] + after[:8])
    return bool(is_year or _MONTH.match(after))


def _beside(text: str, match: re.Match[str], cues: _Cues) -> float:
    """How much what stands beside a number says that it is one's own; far below zero for dates, labels and measures."""
    before = text[max(match.start() - _BESIDE, 0) : match.start()]
    after = text[match.end() : match.end() + _BESIDE]
    number = match[0].strip()
    bare = number.lstrip("-+− $€£¥")
    if _is_name(number, before, after):
        return _NO_RESULT
    points = 0.0
    if _SYMBOL.search(before):
        points += 4.0
    elif _COMPARED.search(before):
        points += 1.5
    if _MONEY.search(before[-2:]) or _MONEY.search(number) or _MONEY.match(after.lstrip()):
        points += 1.0 if cues.first or cues.made or cues.money else 0.0
    if cues.effect and re.search(r"(?i)\bby\s(?:about\s|around\s)?$", before):
        points += 2.0
    if re.search(r"[.,]\d", bare) and cues.tuned:
        points += 0.75
    if re.search(
        r"(?i)(?:[\"']?(?:qty|size|pnl|realised_pnl|realized_pnl|amount|balance|leverage|position|"
        r"stake|lots?)[\"']?\s?[:=]\s?|\b(?:at|of|is|z =|lower|upper|long|short|bought|sold|came to|"
        r"comes to|amounts to|stood at|stands at|left with|with)\s)$",
        before,
    ):
        points += 1.0
    if _OWN_UNIT.match(after) or number.endswith("x"):
        points += 1.0
    elif not (cues.money or cues.tuned) and not _MONEY.match(after.lstrip()) and _THING.match(after):
        points -= 2.0
    elif _UNIT.match(after):
        points -= 3.0
    if re.match(
        r"\s?%?\s?(?:per trade|of equity|of the book|a month|per month|a year|left|in total|on average|"
        r"per name|edge)\b",
        after,
    ):
        points += 1.5
    return points
