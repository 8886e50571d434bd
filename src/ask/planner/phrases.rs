//! The phrases of questions with what each may do. Data alone.

use super::dates::Grain;
use super::lexicon::Manner::{Amount, Frequency, Height, Length, Many, Price, Quality, Time};
use super::lexicon::Role;

/// Phrases that do the same, between bars.
pub(super) const PHRASES: &[(Role, &str)] = &[
    (
        Role::Filler,
        "the|a|an|of|in|on|at|for|to|from|by|with|is|are|was|were|be|been|being|that|this|these|those|there|their|its|it|his|her|he|she|they|them|'s|'|\
         as|also|please|tell me|show me|give me|i want to know|can you|could you|do you know|according to this chart|according to the table|according to this table|\
         according to the chart|in the table|in this table|on this list|on the list|in this list|in the list|on this chart|in this chart|on the chart|in the chart|\
         listed|shown|given|recorded|ever|overall|called|named|name of|names of|will|would|each of|who|which|that|out of|here|currently|current|only|whole|entire|so|than|\
         in the dataset|in the data|dataset|individual|one|ones|?|.|,|!|:|;|\"|(|)|>|，|。|？|！|、|：|；|“|”|‘|’|（|）|《|》|…|「|」",
    ),
    (
        Role::Filler,
        "的|了|在|是|请问|请|告诉我|我|想|想要|想知道|想了解|了解|知道|一下|查询|查一下|帮我|帮忙|看看|看一下|这|那|这个|那个|这些|那些|这两个|这两家|两个|两家|这两|该|其|它们|他们|它|他|她|\
         呢|吧|啊|呀|被|为|于|里|中|内|时|时候|当中|其中|之中|之间|里面|具体|位于|处于|达到|达|所属|所|当前|目前|就|都|又|由|上|下|个|家|位|名|项|只|间|款|种|笔|座|套|件|之|而|则|以|\
         此|一家|一个|一位|一名|一种|有|存在|情况下|的情况下|条件下|范围内|范围|区间|一些|方面|来说|来看|而言|分别为|分别是|进行|评定|评定为|被评定为|属于|当|里的|所在|拥有|具有|得到|得|给出|说说|请给出|应该|多少钱的|按照|根据|数据|表中|表里|表格中|记录的",
    ),
    (
        Role::Verb,
        "ride|rode|drive|drove|driven|wear|wore|represent|represents|represented|manage|managed|coached|direct|directed|write|wrote|written|sing|sang|sung|ordered|buy|bought|purchase|purchased|own|owned|run|attend|join|joined|signed|averaged|averaging|race|raced|have|has|had|do|does|did|get|gets|got|make|makes|made|earn|earns|earned|earning|achieve|achieved|receive|received|perform|performs|performed|\
         reach|reached|take|took|took place|take place|taken|hold|held|occur|occurred|happen|happened|see|seen|belong|belongs|belonging|come|came|go|went|used|use|uses|using|played|play|plays|play in|\
         yield|yielded|ran|run|serve|serves|served|serving|obtain|obtained|contain|contains|include|includes|included|carry|carried|produce|produced|listing|having|compete|competed|participate|participated|\
         work|works|working|located|situated|based|live|lives|living|stand|stands|exist|exists|cost|costs|sell|sold|sells|spend|spent|released|published|appeared|built|founded|born|opened",
    ),
    (
        Role::Verb,
        "place|placed|placed by|calculate|compute|统计|统计一下|计算|算一下|算算|排序|排列|下单|下了|下过|sorted",
    ),
    (Role::Filler, "已经|分别的|目前为止"),
    (
        Role::Trade,
        "units|pieces|sold|sell|ordered|bought|purchased|卖|卖了|卖出|卖出了|卖掉|卖掉了|售出|售出了|销售了|订购|订购了|采购|采购了|买了|买",
    ),
    (
        Role::Count { people: false },
        "笔数|条数|行数|单数|单量|订单数|订单量|订单数量|订单笔数|记录数|记录条数|交易笔数|row count|record count|order count|count",
    ),
    (Role::Count { people: true }, "人数|总人数|员工数|员工人数|人员数量|headcount"),
    (
        Role::Single,
        "single|a single|one single|in a single|in one|单笔|单次|单条|单个|单张|单一|一笔|一单|单笔最大|每笔",
    ),
    (
        Role::Order { up: false },
        "highest first|largest first|biggest first|greatest first|most first|descending|in descending order|descending order|desc|sorted descending|\
         high to low|from high to low|highest to lowest|from highest to lowest|from largest to smallest|largest to smallest|sorted from highest to lowest|sorted high to low|\
         从高到低|由高到低|从大到小|由大到小|从多到少|由多到少|降序|倒序|从高到低排序|从高到低排列|从大到小排序|从大到小排列|从多到少排序|从多到少排列|由高到低排序|由高到低排列|由大到小排序|由大到小排列|降序排列|降序排序|倒序排列|高到低|大到小",
    ),
    (
        Role::Order { up: true },
        "lowest first|smallest first|fewest first|ascending|in ascending order|ascending order|asc|sorted ascending|\
         low to high|from low to high|lowest to highest|from lowest to highest|from smallest to largest|smallest to largest|sorted from lowest to highest|sorted low to high|\
         从低到高|由低到高|从小到大|由小到大|从少到多|由少到多|升序|正序|从低到高排序|从低到高排列|从小到大排序|从小到大排列|从少到多排序|从少到多排列|由低到高排序|由低到高排列|由小到大排序|由小到大排列|升序排列|升序排序|低到高|小到大",
    ),
    (
        Role::PerTime(Grain::Month),
        "by month|per month|monthly|each month|every month|for each month|of each month|in each month|每月|每个月|各月|各个月|各月份|每个月份|每月份|月度|按月|按月份|分月|逐月",
    ),
    (
        Role::PerTime(Grain::Quarter),
        "by quarter|per quarter|quarterly|each quarter|every quarter|for each quarter|in each quarter|每季度|每个季度|各季度|各个季度|按季度|分季度",
    ),
    (
        Role::PerTime(Grain::Year),
        "by year|yearly|each year|every year|for each year|per year|in each year|每年|每一年|各年|各年度|各年份|按年|按年度|按年份|分年",
    ),
    (
        Role::Verb,
        "成交|销售|卖出|卖|开发|发生|实现|取得|获得|完成|产生|录得|拿下|参加|举办|举行|排名|排行|排在|位列|位居|排|取|共有|总共有|卖了|做了",
    ),
    (Role::Deed, "won|win|wins|winning|finish|finished|lose|lost|complete|completed|赢|赢得|赢了|输|完成了"),
    (Role::Scored, "score|scored|scores|scoring"),
    (
        Role::Which,
        "which|which of|in which|in what|on what|on which|for which|at which|哪个|哪些|哪家|哪一个|哪一家|哪一些|哪几个|哪几家|哪|哪位|哪一位|哪种|哪一种|哪类|哪项|哪款|哪一款|哪座|哪所|有哪些|哪只|哪名|哪间|哪条|哪一项|哪一条|哪一名",
    ),
    (
        Role::What,
        "what|what's|whats|what is|what are|what was|what were|是什么|什么|为何值|为什么值|怎样的|是怎样的|怎么样|怎样|如何|是怎么样的|是何|叫什么",
    ),
    (
        Role::List,
        "list|list all|list the|show|show all|show the|display|name the|name all|give|give the|give all|find|find all|find the|列出|列举|罗列|列一下|列|找出|显示|给我|给出|筛选出|筛选|查找|展示",
    ),
    (Role::Who, "who|whom|whose|who is|who was|谁|是谁|都是谁|哪个人|哪些人|什么人|哪位"),
    (Role::Where, "where|where is|where was|哪里|哪儿|何处|什么地方|在哪里|什么地区"),
    (
        Role::When,
        "when|when is|when was|when did|when were|on what date|何时|什么时候|什么时间|哪年|哪一年|哪天|哪一天|几时|几月|哪个月|哪一月|哪月|几号|哪日|是在哪一年|是在什么时候|是何时",
    ),
    (
        Role::HowMany,
        "how many|how many of|what number of|多少|有多少|共有多少|一共有多少|总共有多少|几|有几|几个|几家|多少个|多少家|多少名|多少位|几位|几名|多少条|多少笔|多少种|几种|多少项|几项|多少台|几台|多少件|几件|多少套|几套|多少辆|几辆|多少只|几只|几条|几笔|多少单|几单|多少张|几张|多少次|多少把|多少本|多少箱|多少支|多少类|几类|多少吨|多少瓶|多少盒|多少款|几款",
    ),
    (
        Role::HowMuch,
        "how much|how much is|how much was|how long|how old|how high|how tall|how far|how big|how large|是多少|为多少|多少钱|有多大|有多高|有多长|多高|多大|多长|各是多少|达到了多少|达到多少|分别是多少|分别为多少|各为多少|各是",
    ),
    (Role::YesNo, "吗|是否|是不是|有没有|是不是都|是否都|whether"),
    (
        Role::Sum,
        "总额|的总额|总金额|总量|sum|sum of|total of|total number of|total amount of|total|total sum|combined|altogether|in total|in all|总和|之和|总共|一共|合计|加起来|加在一起|求和|累计|共计|总计|合起来|汇总",
    ),
    (Role::Total, "total|total amount of|the total|total of|总|总的|共"),
    (
        Role::Average,
        "average|the average|average of|mean|mean of|on average|avg|平均|平均值|均值|的平均值|平均数|平均为|平均是|平均每",
    ),
    (Role::Median, "median|median of|中位数|中值|的中位数"),
    (Role::Maximum, "maximum|maximum of|max|the maximum|最大值|最高值|峰值|peak"),
    (Role::Minimum, "minimum|minimum of|min|the minimum|最小值|最低值"),
    (
        Role::NumberOf,
        "number of|the number of|amount of|the amount of|total number of|the total number of|quantity of|numbers of|count of|count|count the|的数量|数量|个数|的个数|数目|总数|的总数|家数|次数|的次数",
    ),
    (
        Role::Super { most: true, manner: Amount },
        "highest|largest|greatest|biggest|max|top|largest amount of|highest amount of|\
         最高|最大|居首|榜首|位居榜首|位居第一|排名第一|排在第一|排第一|第一|名列第一|首位|位列第一|位列榜首|最为突出|最突出|最强|最为可观|冠军|最高的|最大的|排名最高|最为领先|最领先|最靠前|最火爆|最火|最旺",
    ),
    (
        Role::Super { most: false, manner: Amount },
        "lowest|smallest|lowest amount of|smallest amount of|\
         最低|最小|垫底|倒数第一|末位|最后一名|最低的|最小的|排名最后|最惨淡|最冷清|最弱",
    ),
    (
        Role::Super { most: true, manner: Many },
        "most|the most|most number of|most amount of|highest number of|largest number of|greatest number of|most of|最多|最多的",
    ),
    (
        Role::Super { most: false, manner: Many },
        "least|the least|fewest|least amount of|least number of|lowest number of|smallest number of|fewest number of|最少|最少的",
    ),
    (Role::Super { most: true, manner: Quality }, "best|最好|最佳|最优|最理想|最好的|最为理想"),
    (
        Role::Super { most: false, manner: Quality },
        "worst|最差|最糟|最不理想|最不好|最坏|最差的|最不佳|最为不理想|最为惨淡",
    ),
    (
        Role::Super { most: true, manner: Time },
        "latest|newest|most recent|most recently|youngest|最晚|最新|最近|最近的|最新的|最年轻",
    ),
    (Role::Super { most: false, manner: Time }, "earliest|oldest|最早|最早的|最年长|最老"),
    (Role::Super { most: true, manner: Length }, "longest|the longest|最长|最远|最久"),
    (Role::Super { most: false, manner: Length }, "shortest|the shortest|最短|最近距离"),
    (Role::Super { most: true, manner: Height }, "tallest|最高个"),
    (Role::Super { most: true, manner: Price }, "most expensive|priciest|costliest|最贵|最昂贵|最贵的"),
    (Role::Super { most: false, manner: Price }, "cheapest|least expensive|最便宜|最实惠|最低价|最便宜的"),
    (
        Role::Super { most: true, manner: Frequency },
        "most often|most frequently|most common|the most times|most times|most frequent|最常|最常见|最频繁|出现最多|出现次数最多|次数最多",
    ),
    (
        Role::Super { most: false, manner: Frequency },
        "least often|least common|least frequently|最少见|最不常见|出现次数最少",
    ),
    (
        Role::More { most: true },
        "more|higher|larger|greater|bigger|better|longer|高出|多出|多了|高了|更高|更多|更大|更好|更长|更贵|高|多|大|较高|较多|较大|高一些|多一些|大一些|高一点|多一点|更高一些|更多一些|更胜一筹|更强|比较高|比较多|比较大",
    ),
    (
        Role::More { most: false },
        "less|fewer|lower|smaller|worse|shorter|少了|低了|更低|更少|更小|更差|更短|更便宜|低|少|小|较低|较少|较小|低一些|少一些|小一些|低一点|少一点|更低一些|更少一些|比较低|比较少|比较小",
    ),
    (Role::Than, "than|比|较"),
    (
        Role::Beside,
        "compared to|compared with|compare|in comparison to|相比|对比|比较|相比较|相比之下|比起|比较一下|对比一下|相较|做比较|进行比较|相对比",
    ),
    (
        Role::Over,
        "over|more than|greater than|above|higher than|larger than|exceeding|exceed|exceeds|exceeded|bigger than|超过|大于|高于|多于|超出|高出|逾|不止|longer than",
    ),
    (
        Role::AtLeast,
        "at least|no less than|not less than|minimum of|or more|不少于|不低于|至少|不小于|以上|及以上|大于等于|or higher|or above",
    ),
    (
        Role::Under,
        "under|less than|fewer than|below|lower than|smaller than|shorter than|不到|小于|低于|少于|不足|未满",
    ),
    (
        Role::AtMost,
        "at most|no more than|not more than|up to|maximum of|or less|or fewer|不超过|不高于|至多|最多不超过|不大于|不多于|以下|及以下|小于等于|or lower|or below",
    ),
    (Role::Equal, "equal to|equals|equal|exactly|is exactly|等于|正好|刚好|恰好|正好是|刚好是"),
    (Role::Between, "between|in between|from|ranging from|介于|处于|位于|在|range from"),
    (Role::And, "and|as well as|together with|plus|&|与|和|跟|及|以及|并且|并|同时|且|还有|、"),
    (Role::Or, "or|还是|或|或者|抑或|vs|versus"),
    (
        Role::Not,
        "not|isn 't|wasn 't|aren 't|other than|except|except for|excluding|without|besides|apart from|不是|不属于|并非|非|除了|除|不在|不包括|不含|未|没|没有|还没|还没有|尚未|暂未|从未|并未|did not|didn 't|does not|not yet|haven 't|hasn 't",
    ),
    (
        Role::Difference,
        "difference|the difference|difference between|difference in|difference of|gap|gap between|差|差距|差额|差值|相差|差多少|之差|相差多少|差了多少|差异",
    ),
    (Role::Distinct, "种类|品种|的种类|different|distinct|unique|various|不同|不同的|不重复|不重复的|去重|去重后"),
    (
        Role::Per,
        "per|each|for each|for every|every|by each|of each|grouped by|group by|broken down by|各|每|每个|每家|每一个|每一家|各个|各家|每位|每名|每种|各种|每类|各类|按|按照|分组",
    ),
    (Role::Respective, "respectively|each|分别|各自|各自的|分别有|各有"),
    (Role::Before, "before|prior to|以前|之前|before the year"),
    (Role::After, "after|following|以后|之后|after the year|later than"),
    (
        Role::Since,
        "since|from|starting from|自|从|起|以来|since the year|及以后|及之后|以及以后|or later|onwards|onward|and later|and after|or after|开始",
    ),
    (Role::Until, "until|through|up to|by the end of|截至|截止|为止|及以前|及之前|or earlier|and earlier|or before"),
    (
        Role::Next,
        "next|after|following|comes after|came after|right after|directly after|listed after|immediately after|below|下一个|下一|后一个|之后的|紧接着|后面的|后面|immediately following",
    ),
    (
        Role::Previous,
        "previous|before|prior to|comes before|came before|right before|directly before|listed before|immediately before|above|preceding|上一个|上一|前一个|之前的|前面的|前面|immediately preceding",
    ),
    (Role::First, "first|the first|very first|第一个|第一条|第一家|首个|最先|第一位|第一名|首次|第一次"),
    (Role::Last, "last|the last|final|very last|最后|最后一个|最后一条|最后的|末尾|最后一次"),
    (
        Role::WhichTime(Grain::Month),
        "which month|what month|in which month|in what month|which months|哪个月|哪一个月|哪一月|哪月|哪个月份|哪个月里|什么月份|哪几个月|哪些月份|是哪个月|是哪个月份",
    ),
    (
        Role::WhichTime(Grain::Year),
        "which year|what year|in which year|in what year|which years|哪年|哪一年|哪个年份|哪个年度|哪些年份|哪几年|是哪一年|是哪年",
    ),
    (
        Role::WhichTime(Grain::Quarter),
        "which quarter|what quarter|in which quarter|in what quarter|哪个季度|哪一季度|哪一个季度|是哪个季度",
    ),
    (
        Role::WhichTime(Grain::Day),
        "which day|what day|on which day|on what day|which date|on which date|哪天|哪一天|哪日|是哪天|是哪一天",
    ),
    (Role::Both, "both|both of|都卖过|都有|同时"),
    (Role::Outside, "以外|之外|以外的|之外的|除外"),
    (
        Role::Share,
        "share|the share|share of|percentage|percentage of|percent|percent of|proportion|proportion of|what percent|what percentage|fraction|fraction of|占比|的占比|占比率|比例|的比例|所占比例|所占的比例|所占比重|比重|百分比|百分之几|百分之多少|占",
    ),
    (Role::Ratio, "ratio|the ratio|ratio of|倍|几倍|多少倍|的几倍|的多少倍|是几倍|是多少倍|之比"),
    (
        Role::Growth { yearly: false },
        "month over month|quarter over quarter|环比|环比增长|环比增长率|环比增幅|环比变化|环比下降|环比增速|环比增长了",
    ),
    (
        Role::Growth { yearly: true },
        "year over year|year on year|yoy|同比|同比增长|同比增长率|同比增幅|同比变化|同比下降|同比增速|同比增长了",
    ),
    (Role::Top, "top|highest|largest|best|前|排名前|排行前|排在前|位列前|位居前|最高的|最多的|最大的|名列前"),
    (Role::Bottom, "bottom|lowest|smallest|后|倒数|排名后|排名倒数|最低的|最少的|最小的"),
    (Role::Only, "只卖|只买|仅卖|仅买|只在|only|the only|唯一|唯一的|only one|只有|仅有"),
    (
        Role::Appear,
        "appear|appears|listed|are listed|is listed|show up|shows up|are there|is there|there are|in the table|on the list|in this table|on this chart|出现|出现了|在列|上榜|exist",
    ),
    (
        Role::InTermsOf,
        "in terms of|based on|according to|by|with respect to|regarding|when it comes to|按|按照|以|就|在",
    ),
    (Role::Times, "times|number of times|occasions|amount of times|次|次数|多少次|几次"),
    (Role::All, "all|any|every|all of|every single|each and every|所有|全部|任何|所有的|全部的"),
    (
        Role::Row,
        "row|rows|record|records|entry|entries|item|items|data|line|lines|行|条|条记录|记录|条数据|数据|项|笔|单|笔记录|条目|笔交易|交易记录|笔订单|个订单|订单|transaction|transactions|笔业务|行记录|行数据",
    ),
    (
        Role::Person,
        "player|players|person|people|athlete|athletes|driver|drivers|rider|riders|candidate|candidates|competitor|competitors|participant|participants|member|members|swimmer|swimmers|cyclist|cyclists|runner|runners|racer|racers|men|women|man|woman|individuals|students|student|employee|employees|staff|人|员工|人员|学生|同学|职工|选手|球员|人士",
    ),
];
